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
#else
  integer :: status(MPI_STATUS_SIZE), half
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
  print '(i0, a, f6.1)', rank, ': total ', numbers(1)
  call MPI_Finalize(error)
end program
