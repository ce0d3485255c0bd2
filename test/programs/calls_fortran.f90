! SPDX-License-Identifier: GPL-3.0-or-later
! Calls of Fortran. The report must show, with their module's name:
!   integrate 10 calls, square 1000 calls (100 points each), both of module numbers;
!   total (a subroutine outside of modules) 1 call.
module numbers
    implicit none
contains
    function square(x) result(y)
        real(8), intent(in) :: x
        real(8) :: y
        y = x * x
    end function

    function integrate(points) result(area)
        integer, intent(in) :: points
        real(8) :: area
        integer :: i
        area = 0
        do i = 1, points
            area = area + square(real(i, 8) / points) / points
        end do
    end function
end module

subroutine total(sum)
    use numbers
    implicit none
    real(8), intent(out) :: sum
    integer :: i
    sum = 0
    do i = 1, 10
        sum = sum + integrate(100)
    end do
end subroutine

program calls
    implicit none
    real(8) :: sum
    call total(sum)
    print '(a,f8.4)', 'sum', sum
end program
