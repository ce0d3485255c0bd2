! SPDX-License-Identifier: GPL-3.0-or-later
! Regions in Fortran. The report must show step 100 calls, in it inner 200, and in that small 200 calls (a
! function that needs little stack); mark done 1; the counter residual down to 0.01; a failure of type
! timeout; 50 calls of small are not recorded; the timer solve 4 times, 3 of them in the stage solving. Writes
! a table of these to the file summary. In field solver: step, or in programs without hooks whatever is open then.
module hearing
  implicit none
  integer :: nr_heard = 0
contains
  subroutine heard(name, seconds, broken)
    character(len=*), intent(in) :: name
    double precision, intent(in) :: seconds
    logical, intent(in) :: broken

    if (name == "solve" .and. seconds >= 0 .and. .not. broken) nr_heard = nr_heard + 1
  end subroutine
end module

program regions_fortran
  use insideme
  use hearing
  implicit none
  integer :: i
  integer(8) :: sum = 0, rss
  integer :: nr = 0, unit
  character(len=64) :: names = ""
  type(insideme_sum) :: each
  type(insideme_timer) :: timer
  double precision :: begin, seconds

  begin = insideme_wtime()
  do i = 1, 100
    call insideme_begin("step")
    if (i == 1) call insideme_field("solver")
    call inner(sum)
    call inner(sum)
    call insideme_end("step")
    call insideme_counter("residual", 1.0d0 / i)
  end do
  call insideme_fail("timeout", "no answer")
  call insideme_disable()
  do i = 1, 50
    call small(sum)
  end do
  call insideme_enable()
  call insideme_on_call(heard, 0d0)
  call insideme_stage_begin("solving")
  do i = 1, 3
    call insideme_start(timer, "solve")
    call insideme_begin("inside")
    call small(sum)
    call insideme_end("inside")
    call insideme_pause(timer)
    call insideme_resume(timer)
    call insideme_stop(timer, seconds)
    if (abs(seconds - insideme_elapsed(timer)) > 1d-3) sum = -4
    if ((seconds > 0) .neqv. (insideme_rss() > 0)) sum = -4
    call insideme_moved(1000_8)
  end do
  call insideme_stage_end("solving")
  call insideme_on_call()
  call insideme_start(timer, "solve")
  call insideme_stop(timer)
  call insideme_stop(timer, seconds)
  if ((seconds < 0) .neqv. (insideme_rss() > 0)) sum = -8
  if (nr_heard /= merge(3, 0, insideme_rss() > 0)) sum = -7
  call insideme_focus("main")
  call small(sum)
  call insideme_focus("")
  ! The same with the recorder, and without one 0.
  if (insideme_rank() /= 0 .or. insideme_size() /= 1) sum = -1
  if (insideme_timing("solve") < 0 .or. insideme_timing("none") /= 0) sum = -1
  if (insideme_calls("solve") /= merge(4, 0, insideme_rss() > 0)) sum = -2
  if (insideme_calls("step") /= merge(100, 0, insideme_rss() > 0)) sum = -2
  rss = insideme_rss()
  if (insideme_peak() < rss .or. insideme_wtime() < begin) sum = -3
  do while (insideme_next(each))
    names = trim(names) // " " // each%name
    nr = nr + int(each%calls)
    if (each%total < each%shortest .or. each%longest < each%shortest) sum = -5
  end do
  if (names /= merge(" inner inside solve stage solving step", repeat(" ", 38), rss > 0) .or. &
      nr /= merge(308, 0, rss > 0)) sum = -6
  open (newunit=unit, file="summary")
  call insideme_summary(unit)
  close (unit)
  call insideme_reset("step")
  if (insideme_calls("step") /= 0 .or. insideme_calls("inner") /= merge(200, 0, rss > 0)) sum = -4
  call insideme_reset()
  if (insideme_calls("inner") /= 0 .or. insideme_calls("solve") /= 0) sum = -4
  call insideme_snapshot("end")
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
