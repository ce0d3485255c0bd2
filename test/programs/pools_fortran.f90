! SPDX-License-Identifier: GPL-3.0-or-later
! Blocks of an allocator in Fortran. The report must show of take 3 blocks and 1200 bytes not freed, of 5
! and 2000.
program pools_fortran
  use insideme
  use, intrinsic :: iso_c_binding
  implicit none
  real(c_double), target, save :: arena(1000)
  integer :: i

  do i = 1, 5
    call take(i)
  end do
  call give_back(2)
  call give_back(4)
  print '(a)', "done"

contains
  subroutine take(slot)
    integer, intent(in) :: slot

    call insideme_alloc(c_loc(arena(100 * slot)), 400_c_size_t)
  end subroutine

  subroutine give_back(slot)
    integer, intent(in) :: slot

    call insideme_free(c_loc(arena(100 * slot)))
  end subroutine
end program
