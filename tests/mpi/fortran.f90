! fortran.f90 - the entry points for Fortran; calls.py knows the bytes, peers and counts. For four ranks.
program fortran
  implicit none
  include 'mpif.h'
  integer :: me, n, error, right, left, i, half, requests(2), status(MPI_STATUS_SIZE), flag_index, group
  integer :: in(16), out(16), counts(4), places(4)
  logical :: flag
  call mpi_init(error)
  call mpi_comm_rank(MPI_COMM_WORLD, me, error)
  call mpi_comm_size(MPI_COMM_WORLD, n, error)
  right = mod(me + 1, n)
  left = mod(me + n - 1, n)
  in = me
  if (me == 0) call mpi_send(in, 5, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, error)
  if (me == 1) call mpi_recv(out, 16, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  if (me == 1 .and. out(1) /= 0) call mpi_abort(MPI_COMM_WORLD, 3, error)
  call mpi_sendrecv(in, 2, MPI_INTEGER, right, 8, out, 16, MPI_INTEGER, left, 8, MPI_COMM_WORLD, status, error)
  if (status(MPI_SOURCE) /= left) call mpi_abort(MPI_COMM_WORLD, 3, error)
  call mpi_irecv(out, 4, MPI_INTEGER, left, 9, MPI_COMM_WORLD, requests(1), error)
  call mpi_isend(in, 3, MPI_INTEGER, right, 9, MPI_COMM_WORLD, requests(2), error)
  call mpi_waitall(2, requests, MPI_STATUSES_IGNORE, error)
  call mpi_irecv(out, 4, MPI_INTEGER, left, 10, MPI_COMM_WORLD, requests(1), error)
  call mpi_isend(in, 1, MPI_INTEGER, right, 10, MPI_COMM_WORLD, requests(2), error)
  do i = 1, 2
    call mpi_waitany(2, requests, flag_index, status, error)
  end do
  flag = .false.
  call mpi_iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, flag, status, error)
  if (flag) call mpi_abort(MPI_COMM_WORLD, 3, error)
  call mpi_comm_split(MPI_COMM_WORLD, mod(me, 2), me, half, error)
  call mpi_barrier(half, error)
  call mpi_allreduce(MPI_IN_PLACE, out, 3, MPI_INTEGER, MPI_SUM, half, error)
  call mpi_bcast(in, 4, MPI_DOUBLE_PRECISION, 1, half, error)
  counts = (/ 1, 2, 3, 4 /)
  places = (/ 0, 1, 3, 6 /)
  call mpi_gatherv(in, counts(me + 1), MPI_INTEGER, out, counts, places, MPI_INTEGER, 2, MPI_COMM_WORLD, error)
  call mpi_comm_free(half, error)
  call mpi_finalize(error)
  print *, 'done', me
end program
