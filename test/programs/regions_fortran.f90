! SPDX-License-Identifier: GPL-3.0-or-later
! Regions in Fortran. The report must show step 100 calls, in it inner 200, and in that small 200 calls (a function that needs
! little stack); mark done 1; the counter residual down to 0.01; a failure of type timeout.
program regions_fortran
  use insideme
  implicit none
  integer :: i
  integer(8) :: sum = 0

  do i = 1, 100
    call insideme_begin("step")
    call inner(sum)
    call inner(sum)
    call insideme_end("step")
    call insideme_counter("residual", 1.0d0 / i)
  end do
  call insideme_fail("timeout", "no answer")
  call insideme_mark("done")
  print '(a, i0)', "sum ", sum

contains
  subroutine inner(sum)
    integer(8), intent(inout) :: sum

    call insideme_begin("inner  ")
    call small(sum)
    call insideme_end("inner")
  end subroutine

  subroutine small(sum)
    integer(8), intent(inout) :: sum

    sum = sum + 1
  end subroutine
end program
