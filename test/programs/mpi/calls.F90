! SPDX-License-Identifier: GPL-3.0-or-later
! Two ranks make calls that the test knows, by one of Fortran's three interfaces to MPI: -DMPIF_H,
! -DMPI_MODULE or -DMPI_F08.
program calls
#ifdef MPI_F08
  use mpi_f08
#elif defined(MPI_MODULE)
  use mpi
#endif
  implicit none
#ifdef MPIF_H
  include 'mpif.h'
#endif
#ifdef MPI_F08
  type(MPI_Status) :: status
  type(MPI_Comm) :: half
  type(MPI_Status) :: statuses(2)
  type(MPI_Request) :: requests(2)
  type(MPI_Win) :: window
#else
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2), requests(2), half, window
#endif
  integer :: counts(2), places(2), which, nr_done, those(2)
  integer(MPI_ADDRESS_KIND) :: bytes, place
  logical :: is_done
  character(len=5) :: word
#ifdef LARGE
  integer(MPI_COUNT_KIND) :: many
#endif
  integer :: rank, nr_ranks, error, i
  double precision :: numbers(8), total(8)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, nr_ranks, error)
  numbers = rank + 1
  do i = 1, 5
    if (rank == 0) call MPI_Send(numbers, 3, MPI_DOUBLE_PRECISION, 1, i, MPI_COMM_WORLD, error)
    if (rank == 1) call MPI_Recv(total, 8, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &
                                 status, error)
  end do
  if (rank == 0) call MPI_Send(numbers, 2, MPI_DOUBLE_PRECISION, 1, 9, MPI_COMM_WORLD, error)
  if (rank == 1) call MPI_Recv(total, 8, MPI_DOUBLE_PRECISION, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call MPI_Allreduce(numbers, total, 8, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Allreduce(MPI_IN_PLACE, numbers, 8, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0) then
    call MPI_Gather(MPI_IN_PLACE, 5, MPI_DATATYPE_NULL, total, 1, MPI_DOUBLE_PRECISION, 0, &
                    MPI_COMM_WORLD, error)
  else
    call MPI_Gather(numbers, 1, MPI_DOUBLE_PRECISION, total, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD, error)
  end if
  call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, half, error)
  call MPI_Barrier(half, error)
  call MPI_Comm_free(half, error)
  call requests_of_all_kinds()
  call other_arguments()
  print '(i0, a, f6.1)', rank, ': total ', numbers(1)
  call MPI_Finalize(error)
contains

! The other rank gets 4 numbers in each of 5 ways. MPI_Waitany completes the receive first, then the send.
subroutine requests_of_all_kinds()
  call start()
  call MPI_Waitall(2, requests, statuses, error)
  call start()
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  call start()
  call MPI_Waitany(1, requests, which, status, error)
  call MPI_Waitany(2, requests, which, MPI_STATUS_IGNORE, error)
  call start()
  is_done = .false.
  do while (.not. is_done)
    call MPI_Testall(2, requests, is_done, statuses, error)
  end do
  call start()
  nr_done = 0
  do while (nr_done < 2)
    call MPI_Waitsome(2, requests, which, those, statuses, error)
    nr_done = nr_done + which
  end do
  call MPI_Send_init(numbers, 2, MPI_DOUBLE_PRECISION, 1 - rank, 12, MPI_COMM_WORLD, requests(1), error)
  call MPI_Recv_init(total, 8, MPI_DOUBLE_PRECISION, 1 - rank, 12, MPI_COMM_WORLD, requests(2), error)
  do i = 1, 3
    call MPI_Startall(2, requests, error)
    call MPI_Waitall(2, requests, statuses, error)
  end do
  call MPI_Request_free(requests(1), error)
  call MPI_Request_free(requests(2), error)
end subroutine

subroutine start()
  call MPI_Irecv(total, 8, MPI_DOUBLE_PRECISION, 1 - rank, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1), error)
  call MPI_Isend(numbers, 4, MPI_DOUBLE_PRECISION, 1 - rank, 11, MPI_COMM_WORLD, requests(2), error)
end subroutine

subroutine other_arguments()
  word = 'rank'
  call MPI_Bcast(word, 5, MPI_CHARACTER, 0, MPI_COMM_WORLD, error)
  call MPI_Sendrecv(numbers, 3, MPI_DOUBLE_PRECISION, 1 - rank, 13, total, 8, MPI_DOUBLE_PRECISION, 1 - rank, &
                    13, MPI_COMM_WORLD, status, error)
  call MPI_Sendrecv_replace(total, 1, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 0, MPI_PROC_NULL, 0, &
                            MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  counts = merge(1, 2, rank == 0)
  places = (/ 0, 2 /)
  call MPI_Alltoallv(numbers, counts, places, MPI_DOUBLE_PRECISION, total, (/ 1, 2 /), places, &
                     MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
  bytes = 64
  call MPI_Win_create(total, bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, window, error)
  call MPI_Win_fence(0, window, error)
  place = 4
  call MPI_Put(numbers, 2, MPI_DOUBLE_PRECISION, 1 - rank, place, 2, MPI_DOUBLE_PRECISION, window, error)
  call MPI_Win_fence(0, window, error)
  call MPI_Win_free(window, error)
#ifdef MPI_F08
  call MPI_Bcast(word, 5, MPI_CHARACTER, 0, MPI_COMM_WORLD)
#endif
#ifdef LARGE
  many = 6
  if (rank == 0) call MPI_Send(numbers, many, MPI_DOUBLE_PRECISION, 1, 14, MPI_COMM_WORLD)
  many = 8
  if (rank == 1) call MPI_Recv(total, many, MPI_DOUBLE_PRECISION, 0, 14, MPI_COMM_WORLD, status)
  call MPI_Allreduce(numbers, total, many, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
#endif
  print '(i0, a, a, f6.1, f6.1)', rank, ': ', word, total(1), total(6)
end subroutine
end program
