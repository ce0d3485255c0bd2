! SPDX-License-Identifier: GPL-3.0-or-later
! The report must show as not freed: keeps_pointer 3 blocks of 8000 bytes; nothing of frees, whose array
! goes when it returns.
module store
  implicit none
  real(8), pointer :: last(:)
contains
  subroutine keeps_pointer()
    allocate (last(1000))
    last = 1
  end subroutine

  subroutine frees(total)
    real(8), intent(out) :: total
    real(8), allocatable :: work(:)
    allocate (work(5000))
    work = 2
    total = sum(work)
  end subroutine
end module

program leaks
  use store
  implicit none
  integer :: i
  real(8) :: total
  do i = 1, 3
    call keeps_pointer()
    call frees(total)
  end do
  print '(F8.1)', total
end program
