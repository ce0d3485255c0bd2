! SPDX-License-Identifier: MIT
! InsideMe's interface for Fortran. Compile this file with the program, and use the module insideme. There is
! nothing to link with (before glibc 2.34: -ldl). insideme.h explains each procedure and its errors. Without
! the recorder each call is a test.
!
!     use insideme
!     call insideme_begin("step")
!     call insideme_end("step")
!     call insideme_mark("converged")
!     call insideme_counter("residual", residual)
!     call insideme_fail("timeout", "no answer")
!     call insideme_field("I/O")                 for the procedure or region that is open
!     type(insideme_timer) :: timer              start and stop may be in different procedures
!     call insideme_start(timer, "solve")        insideme_pause(timer), insideme_resume(timer)
!     call insideme_stop(timer)                  insideme_stop(timer, seconds): from start to stop
!     call insideme_disable()                    insideme_enable()
!     call insideme_focus("solve,grid::*")       record these and what they call alone; insideme_focus("")
!     call insideme_stage_begin("assembly")      insideme_stage_end("assembly")
!     call insideme_on_call(slow, 0.1d0)         slow(name, seconds, broken) hears of calls above 0.1 s
!     seconds = insideme_timing("solve")         insideme_calls("solve")
!     call insideme_reset("solve")               all of them: call insideme_reset()
!     call insideme_summary()                    a table of all timers and regions; insideme_summary(unit)
!     type(insideme_sum) :: sum                  name, calls and seconds of one of them
!     do while (insideme_next(sum))              all of them, in the order of their names
!     insideme_rss(), insideme_peak(), insideme_rank(), insideme_size(), insideme_wtime()
!     call insideme_snapshot("here")
!     call insideme_alloc(c_loc(block), bytes)   a block of the program's own allocator
!     call insideme_free(c_loc(block))           insideme_pool_begin(), insideme_pool_end()
!
! If the program is compiled with hooks, this file must not be, or each region would end with insideme_begin:
! -finstrument-functions-exclude-file-list=insideme.f90 (insideme-fc adds it). Trailing blanks of names are
! ignored. The procedures may be called from any thread.
module insideme
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only : output_unit
  implicit none
  private
  public :: insideme_begin, insideme_end, insideme_mark, insideme_counter, insideme_fail, insideme_field
  public :: insideme_timer, insideme_start, insideme_pause, insideme_resume, insideme_stop
  public :: insideme_enable, insideme_disable, insideme_snapshot
  public :: insideme_timing, insideme_calls, insideme_reset, insideme_sum, insideme_next, insideme_summary
  public :: insideme_alloc, insideme_free, insideme_pool_begin, insideme_pool_end
  public :: insideme_elapsed, insideme_add, insideme_moved
  public :: insideme_focus, insideme_stage_begin, insideme_stage_end, insideme_on_call, insideme_callback
  public :: insideme_rss, insideme_peak, insideme_rank, insideme_size, insideme_wtime

  integer, parameter :: name_max = 255

  ! struct insideme_timer and struct insideme_sum of insideme.h
  type, bind(c) :: timer_state
    type(c_ptr) :: name = c_null_ptr
    integer(c_int64_t) :: state = 0, start_ticks = 0, pause_ticks = 0, paused_ticks = 0
  end type
  type, bind(c) :: sum_state
    type(c_ptr) :: name = c_null_ptr
    integer(c_int64_t) :: calls = 0, total_ns = 0, paused_ns = 0, min_ns = 0, max_ns = 0
  end type

  type :: insideme_timer
    private
    type(timer_state) :: state
    character(kind=c_char) :: name(name_max + 1) = c_null_char
  end type

  ! What is known of a timer or region so far, in seconds. insideme_next() sets a new one to the first.
  type :: insideme_sum
    character(len=:), allocatable :: name
    integer(c_int64_t) :: calls = 0
    real(c_double) :: total = 0, paused = 0, shortest = 0, longest = 0
    type(sum_state), private :: state
  end type

  ! struct insideme_recorder of insideme.h
  type, bind(c) :: recorder_table
    integer(c_int32_t) :: version, bytes
    type(c_funptr) :: enter, exit, region, mark, fail, counter, start, pause, resume, stop, begin_within
    type(c_funptr) :: enable, disable, field, sum, sum_after, reset, snapshot, memory, rank
    type(c_funptr) :: pool_alloc, pool_free, pool_begin, pool_end, elapsed, add, moved, on_call
    type(c_funptr) :: lines_begin, lines_end, lines_copy, mean_ns, focus
  end type

  abstract interface
    function name_call(name) bind(c) result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: status
    end function
    function text_call(name, text) bind(c) result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*), text(*)
      integer(c_int) :: status
    end function
    function value_call(name, value) bind(c) result(status)
      import :: c_char, c_int, c_int64_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: value
      integer(c_int) :: status
    end function
    function alloc_call(block, bytes) bind(c) result(status)
      import :: c_ptr, c_size_t, c_int
      type(c_ptr), value :: block
      integer(c_size_t), value :: bytes
      integer(c_int) :: status
    end function
    function block_call(block) bind(c) result(status)
      import :: c_ptr, c_int
      type(c_ptr), value :: block
      integer(c_int) :: status
    end function
    function region_call(name) bind(c) result(region)
      import :: c_char, c_ptr
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr) :: region
    end function
    function timer_call(timer) bind(c) result(status)
      import :: c_int, timer_state
      type(timer_state), intent(inout) :: timer
      integer(c_int) :: status
    end function
    function sum_call(name, sum) bind(c) result(status)
      import :: c_char, c_int, sum_state
      character(kind=c_char), intent(in) :: name(*)
      type(sum_state), intent(inout) :: sum
      integer(c_int) :: status
    end function
    function after_call(name, sum) bind(c) result(status)
      import :: c_int, c_ptr, sum_state
      type(c_ptr), value :: name
      type(sum_state), intent(inout) :: sum
      integer(c_int) :: status
    end function
    function reset_call(name) bind(c) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: name
      integer(c_int) :: status
    end function
    function plain_call() bind(c) result(status)
      import :: c_int
      integer(c_int) :: status
    end function
    function memory_call(which) bind(c) result(bytes)
      import :: c_int, c_int64_t
      integer(c_int), value :: which
      integer(c_int64_t) :: bytes
    end function
    function rank_call(nr_ranks) bind(c) result(rank)
      import :: c_int
      integer(c_int), intent(out) :: nr_ranks
      integer(c_int) :: rank
    end function
    function elapsed_call(timer) bind(c) result(ns)
      import :: c_int64_t, timer_state
      type(timer_state), intent(in) :: timer
      integer(c_int64_t) :: ns
    end function
    function moved_call(bytes) bind(c) result(status)
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: bytes
      integer(c_int) :: status
    end function
    function on_call_call(callback, least_ns) bind(c) result(status)
      import :: c_funptr, c_int, c_int64_t
      type(c_funptr), value :: callback
      integer(c_int64_t), value :: least_ns
      integer(c_int) :: status
    end function
    ! Called after a call or timer has ended, in its thread.
    subroutine insideme_callback(name, seconds, broken)
      import :: c_double
      character(len=*), intent(in) :: name
      real(c_double), intent(in) :: seconds
      logical, intent(in) :: broken
    end subroutine
    subroutine exit_call(region, call_site) bind(c)
      import :: c_ptr
      type(c_ptr), value :: region, call_site
    end subroutine
  end interface

  interface
    function dlsym(handle, name) bind(c) result(place)
      import :: c_char, c_ptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr) :: place
    end function
    function strlen(text) bind(c) result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface

  ! Threads that look it up at the same time find the same.
  logical, save :: is_looked_up = .false.
  logical, save :: is_loaded = .false.
  procedure(name_call), pointer, save :: begin_within => null(), mark => null()
  procedure(name_call), pointer, save :: field => null(), snapshot => null(), focus => null()
  procedure(on_call_call), pointer, save :: on_call => null()
  procedure(insideme_callback), pointer, save :: heard_by => null()
  procedure(reset_call), pointer, save :: reset => null()
  procedure(after_call), pointer, save :: sum_after => null()
  procedure(timer_call), pointer, save :: start => null(), pause => null()
  procedure(timer_call), pointer, save :: resume => null(), stop_timer => null()
  procedure(plain_call), pointer, save :: enable => null(), disable => null()
  procedure(sum_call), pointer, save :: sum_of => null()
  procedure(memory_call), pointer, save :: memory => null()
  procedure(rank_call), pointer, save :: rank => null()
  procedure(text_call), pointer, save :: fail => null()
  procedure(value_call), pointer, save :: counter => null(), add_time => null()
  procedure(elapsed_call), pointer, save :: elapsed => null()
  procedure(moved_call), pointer, save :: moved => null()
  procedure(alloc_call), pointer, save :: pool_alloc => null()
  procedure(block_call), pointer, save :: pool_free => null()
  procedure(plain_call), pointer, save :: pool_begin => null(), pool_end => null()
  procedure(region_call), pointer, save :: region_of => null()
  procedure(exit_call), pointer, save :: leave => null()

contains

  subroutine look_up()
    type(recorder_table), pointer :: recorder
    type(c_ptr) :: place

    place = dlsym(c_null_ptr, "insideme_recorder" // c_null_char)
    if (c_associated(place)) then
      call c_f_pointer(place, recorder)
      if (recorder%version == 1 .and. recorder%bytes >= c_sizeof(recorder)) then
        call c_f_procpointer(recorder%begin_within, begin_within)
        call c_f_procpointer(recorder%mark, mark)
        call c_f_procpointer(recorder%fail, fail)
        call c_f_procpointer(recorder%counter, counter)
        call c_f_procpointer(recorder%pool_alloc, pool_alloc)
        call c_f_procpointer(recorder%elapsed, elapsed)
        call c_f_procpointer(recorder%add, add_time)
        call c_f_procpointer(recorder%moved, moved)
        call c_f_procpointer(recorder%pool_free, pool_free)
        call c_f_procpointer(recorder%pool_begin, pool_begin)
        call c_f_procpointer(recorder%pool_end, pool_end)
        call c_f_procpointer(recorder%region, region_of)
        call c_f_procpointer(recorder%exit, leave)
        call c_f_procpointer(recorder%start, start)
        call c_f_procpointer(recorder%pause, pause)
        call c_f_procpointer(recorder%resume, resume)
        call c_f_procpointer(recorder%stop, stop_timer)
        call c_f_procpointer(recorder%enable, enable)
        call c_f_procpointer(recorder%disable, disable)
        call c_f_procpointer(recorder%field, field)
        call c_f_procpointer(recorder%sum, sum_of)
        call c_f_procpointer(recorder%sum_after, sum_after)
        call c_f_procpointer(recorder%reset, reset)
        call c_f_procpointer(recorder%snapshot, snapshot)
        call c_f_procpointer(recorder%focus, focus)
        call c_f_procpointer(recorder%on_call, on_call)
        call c_f_procpointer(recorder%memory, memory)
        call c_f_procpointer(recorder%rank, rank)
        is_loaded = .true.
      end if
    end if
    is_looked_up = .true.
  end subroutine

  subroutine insideme_begin(name)
    character(len=*), intent(in) :: name
    integer(c_int) :: status

    if (.not. is_looked_up) call look_up()
    if (is_loaded) status = begin_within(trim(name) // c_null_char)
  end subroutine

  subroutine insideme_end(name)
    character(len=*), intent(in) :: name
    type(c_ptr) :: region

    if (.not. is_looked_up) call look_up()
    if (.not. is_loaded) return
    region = region_of(trim(name) // c_null_char)
    if (c_associated(region)) call leave(region, c_null_ptr)
  end subroutine

  subroutine insideme_stage_begin(name)
    character(len=*), intent(in) :: name

    call insideme_begin("stage " // name)
  end subroutine

  subroutine insideme_stage_end(name)
    character(len=*), intent(in) :: name

    call insideme_end("stage " // name)
  end subroutine

  subroutine insideme_focus(list)
    character(len=*), intent(in) :: list
    integer(c_int) :: status

    if (.not. is_looked_up) call look_up()
    if (is_loaded) status = focus(trim(list) // c_null_char)
  end subroutine

  ! Without a callback: none any more.
  subroutine insideme_on_call(callback, seconds)
    procedure(insideme_callback), optional :: callback
    real(c_double), intent(in), optional :: seconds
    integer(c_int64_t) :: least_ns
    integer(c_int) :: status

    if (.not. is_looked_up) call look_up()
    least_ns = 0
    if (present(seconds)) least_ns = nint(seconds * 1d9, c_int64_t)
    if (.not. is_loaded) return
    if (.not. present(callback)) then
      status = on_call(c_null_funptr, 0_c_int64_t)
      return
    end if
    heard_by => callback
    status = on_call(c_funloc(pass_on), least_ns)
  end subroutine

  subroutine pass_on(name, ns, broken) bind(c)
    type(c_ptr), value :: name
    integer(c_int64_t), value :: ns
    integer(c_int), value :: broken
    character(kind=c_char), pointer :: letters(:)
    character(len=:), allocatable :: text
    integer :: i

    allocate (character(len=strlen(name)) :: text)
    call c_f_pointer(name, letters, [len(text)])
    do i = 1, len(text)
      text(i:i) = letters(i)
    end do
    call heard_by(text, real(ns, c_double) / 1.0e9_c_double, broken /= 0)
  end subroutine

  subroutine insideme_mark(name)
    character(len=*), intent(in) :: name
    integer(c_int) :: status

    if (.not. is_looked_up) call look_up()
    if (is_loaded) status = mark(trim(name) // c_null_char)
  end subroutine

  subroutine insideme_counter(name, value)
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: value
    integer(c_int) :: status

    if (.not. is_looked_up) call look_up()
    if (is_loaded) status = counter(trim(name) // c_null_char, transfer(value, 0_c_int64_t))
  end subroutine

  subroutine insideme_fail(type, message)
    character(len=*), intent(in) :: type, message
    integer(c_int) :: status

    if (.not. is_looked_up) call look_up()
    if (is_loaded) status = fail(trim(type) // c_null_char, trim(message) // c_null_char)
  end subroutine

  subroutine insideme_field(name)
    character(len=*), intent(in) :: name
    integer(c_int) :: status

    if (.not. is_looked_up) call look_up()
    if (is_loaded) status = field(trim(name) // c_null_char)
  end subroutine

  subroutine insideme_snapshot(name)
    character(len=*), intent(in) :: name
    integer(c_int) :: status

    if (.not. is_looked_up) call look_up()
    if (is_loaded) status = snapshot(trim(name) // c_null_char)
  end subroutine

  subroutine insideme_start(timer, name)
    type(insideme_timer), intent(inout), target :: timer
    character(len=*), intent(in) :: name
    integer(c_int) :: status
    integer :: i

    if (.not. is_looked_up) call look_up()
    if (.not. is_loaded) return
    if (timer%state%state == 0) then
      do i = 1, min(len_trim(name), name_max)
        timer%name(i) = name(i:i)
      end do
      timer%name(min(len_trim(name), name_max) + 1) = c_null_char
    end if
    timer%state%name = c_loc(timer%name)
    status = start(timer%state)
  end subroutine

  subroutine insideme_pause(timer)
    type(insideme_timer), intent(inout) :: timer
    integer(c_int) :: status

    if (is_loaded) status = pause(timer%state)
  end subroutine

  subroutine insideme_resume(timer)
    type(insideme_timer), intent(inout) :: timer
    integer(c_int) :: status

    if (is_loaded) status = resume(timer%state)
  end subroutine

  ! The timer may have been copied, so its name is set to where it is now. seconds: from start to stop,
  ! without pauses; 0 without the recorder; below 0 if the timer was not started.
  subroutine insideme_stop(timer, seconds)
    type(insideme_timer), intent(inout), target :: timer
    real(c_double), intent(out), optional :: seconds
    integer(c_int) :: status

    if (present(seconds)) seconds = 0
    if (.not. is_loaded) return
    timer%state%name = c_loc(timer%name)
    status = stop_timer(timer%state)
    if (present(seconds)) seconds = merge(real(status, c_double), insideme_elapsed(timer), status < 0)
  end subroutine

  ! Seconds since the timer's start; after a stop from start to stop; 0 without the recorder.
  real(c_double) function insideme_elapsed(timer) result(seconds)
    type(insideme_timer), intent(inout), target :: timer

    seconds = 0
    if (.not. is_loaded) return
    timer%state%name = c_loc(timer%name)
    seconds = max(0_c_int64_t, elapsed(timer%state)) / 1d9
  end function

  ! Adds a time that was measured otherwise; it counts as one call.
  subroutine insideme_add(name, seconds)
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: seconds
    integer(c_int) :: status

    if (.not. is_looked_up) call look_up()
    if (is_loaded .and. seconds >= 0 .and. seconds < 3d9) &
      status = add_time(trim(name) // c_null_char, int(seconds * 1d9, c_int64_t))
  end subroutine

  ! The open function or region has read, written or sent so many bytes.
  subroutine insideme_moved(bytes)
    integer(c_int64_t), intent(in) :: bytes
    integer(c_int) :: status

    if (.not. is_looked_up) call look_up()
    if (is_loaded) status = moved(bytes)
  end subroutine

  subroutine insideme_enable()
    integer(c_int) :: status

    if (.not. is_looked_up) call look_up()
    if (is_loaded) status = enable()
  end subroutine

  subroutine insideme_disable()
    integer(c_int) :: status

    if (.not. is_looked_up) call look_up()
    if (is_loaded) status = disable()
  end subroutine

  type(sum_state) function look_at(name) result(sum)
    character(len=*), intent(in) :: name
    integer(c_int) :: status

    if (.not. is_looked_up) call look_up()
    if (is_loaded) status = sum_of(trim(name) // c_null_char, sum)
  end function

  ! Seconds that a timer or region has taken so far; 0 without the recorder.
  real(c_double) function insideme_timing(name) result(seconds)
    character(len=*), intent(in) :: name
    type(sum_state) :: sum

    sum = look_at(name)
    seconds = real(sum%total_ns, c_double) / 1.0e9_c_double
  end function

  integer(c_int64_t) function insideme_calls(name) result(calls)
    character(len=*), intent(in) :: name
    type(sum_state) :: sum

    sum = look_at(name)
    calls = sum%calls
  end function

  subroutine insideme_reset(name)
    character(len=*), intent(in), optional :: name
    character(kind=c_char, len=:), allocatable, target :: text
    integer(c_int) :: status

    if (.not. is_looked_up) call look_up()
    if (.not. is_loaded) return
    if (present(name)) then
      text = trim(name) // c_null_char
      status = reset(c_loc(text))
    else
      status = reset(c_null_ptr)
    end if
  end subroutine

  ! Go on to the next one. False: there is none, and sum is unchanged.
  logical function insideme_next(sum) result(is_there)
    type(insideme_sum), intent(inout) :: sum
    character(kind=c_char), pointer :: text(:)
    type(sum_state) :: state
    integer :: i

    if (.not. is_looked_up) call look_up()
    is_there = .false.
    if (is_loaded) is_there = sum_after(sum%state%name, state) == 0
    if (.not. is_there) return
    call c_f_pointer(state%name, text, [strlen(state%name)])
    if (allocated(sum%name)) deallocate(sum%name)
    allocate(character(len=size(text)) :: sum%name)
    do i = 1, size(text)
      sum%name(i:i) = text(i)
    end do
    sum%calls = state%calls
    sum%total = real(state%total_ns, c_double) / 1.0e9_c_double
    sum%paused = real(state%paused_ns, c_double) / 1.0e9_c_double
    sum%shortest = real(state%min_ns, c_double) / 1.0e9_c_double
    sum%longest = real(state%max_ns, c_double) / 1.0e9_c_double
    sum%state = state
  end function

  subroutine insideme_summary(unit)
    integer, intent(in), optional :: unit
    type(insideme_sum) :: all, each
    integer :: to, width
    logical :: is_begun

    to = output_unit
    if (present(unit)) to = unit
    width = len("Timer")
    do while (insideme_next(all))
      if (all%calls > 0) width = max(width, len(all%name))
    end do
    is_begun = .false.
    do while (insideme_next(each))
      if (each%calls == 0) cycle
      if (.not. is_begun) write (to, '(4a)') repeat(" ", width - 5), &
        "Timer |   Total time |      Calls | Average time"
      is_begun = .true.
      write (to, '(3a, es12.5, a, i10, a, es12.5)') repeat(" ", max(width - len(each%name), 0)), &
        each%name, " | ", each%total, " | ", each%calls, " | ", each%total / real(each%calls, c_double)
    end do
  end subroutine

  integer(c_int64_t) function insideme_rss() result(bytes)
    if (.not. is_looked_up) call look_up()
    bytes = 0
    if (is_loaded) bytes = memory(0_c_int)
  end function

  integer(c_int64_t) function insideme_peak() result(bytes)
    if (.not. is_looked_up) call look_up()
    bytes = 0
    if (is_loaded) bytes = memory(1_c_int)
  end function

  integer(c_int) function insideme_rank() result(number)
    integer(c_int) :: nr_ranks

    if (.not. is_looked_up) call look_up()
    number = 0
    if (is_loaded) number = rank(nr_ranks)
  end function

  integer(c_int) function insideme_size() result(nr_ranks)
    integer(c_int) :: number

    if (.not. is_looked_up) call look_up()
    nr_ranks = 1
    if (is_loaded) number = rank(nr_ranks)
  end function

  real(c_double) function insideme_wtime() result(seconds)
    integer(c_int64_t) :: now, rate

    call system_clock(now, rate)
    seconds = real(now, c_double) / real(rate, c_double)
  end function

  subroutine insideme_alloc(block, bytes)
    type(c_ptr), intent(in) :: block
    integer(c_size_t), intent(in) :: bytes
    integer(c_int) :: status

    if (.not. is_looked_up) call look_up()
    if (is_loaded) status = pool_alloc(block, bytes)
  end subroutine

  subroutine insideme_free(block)
    type(c_ptr), intent(in) :: block
    integer(c_int) :: status

    if (.not. is_looked_up) call look_up()
    if (is_loaded) status = pool_free(block)
  end subroutine

  subroutine insideme_pool_begin()
    integer(c_int) :: status

    if (.not. is_looked_up) call look_up()
    if (is_loaded) status = pool_begin()
  end subroutine

  subroutine insideme_pool_end()
    integer(c_int) :: status

    if (.not. is_looked_up) call look_up()
    if (is_loaded) status = pool_end()
  end subroutine
end module
