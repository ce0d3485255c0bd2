! SPDX-License-Identifier: MIT
! The Mandelbrot set as a picture in text: mandelbrot_fortran [ROWS]. As mandelbrot.c.
module fractal
  implicit none
  integer, parameter :: most_steps = 200, real64 = kind(1d0)
contains

  pure integer function escape_steps(point) result(steps)
    complex(real64), intent(in) :: point
    complex(real64) :: value

    value = 0
    steps = 0
    do while (steps < most_steps .and. real(value)**2 + aimag(value)**2 < 4)
      value = value * value + point
      steps = steps + 1
    end do
  end function

  subroutine compute(steps)
    integer, intent(out) :: steps(0:, 0:)
    integer :: row, column

    do row = 0, ubound(steps, 2)
      do column = 0, ubound(steps, 1)
        steps(column, row) = escape_steps(cmplx(3.2d0 * column / size(steps, 1) - 2.3d0, &
                                                2.4d0 * row / size(steps, 2) - 1.2d0, real64))
      end do
    end do
  end subroutine

  ! Prints every 40th of the picture's rows and columns.
  subroutine print_picture(steps)
    integer, intent(in) :: steps(0:, 0:)
    character(*), parameter :: shades = ' .:-=+*%@#'
    integer :: row, column, shade

    do row = 0, ubound(steps, 2), (size(steps, 2) + 39) / 40
      do column = 0, ubound(steps, 1), (size(steps, 1) + 79) / 80
        shade = steps(column, row) * 9 / most_steps + 1
        write (*, '(a)', advance='no') shades(shade:shade)
      end do
      write (*, *)
    end do
  end subroutine
end module

program mandelbrot
  use fractal
  implicit none
  integer, allocatable :: steps(:, :)
  integer :: nr_rows, status
  character(16) :: argument

  nr_rows = 800
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *, iostat=status) nr_rows
    if (status /= 0 .or. nr_rows <= 0) error stop 'usage: mandelbrot_fortran [ROWS]'
  end if
  allocate (steps(2 * nr_rows, nr_rows))
  call compute(steps)
  call print_picture(steps)
end program
