! SPDX-License-Identifier: MIT
! InsideMe's interface for Fortran: compile this file with the program, and use the module insideme. There is nothing to link with (before
! glibc 2.34: -ldl). What each does, and its errors, is said in insideme.h; without the recorder each call is a test.
!
!     use insideme
!     call insideme_begin("step")
!     call insideme_end("step")
!     call insideme_mark("converged")
!     call insideme_counter("residual", residual)
!     call insideme_fail("timeout", "no answer")
!
! With hooks in the program this file must have none, or each region would end with insideme_begin:
! -finstrument-functions-exclude-file-list=insideme.f90 (insideme-fc adds it). Trailing blanks of names do not count. May be called from any thread.
module insideme
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: insideme_begin, insideme_end, insideme_mark, insideme_counter, insideme_fail

  ! struct insideme_recorder of insideme.h
  type, bind(c) :: recorder_table
    integer(c_int32_t) :: version, bytes
    type(c_funptr) :: enter, exit, region, mark, fail, counter, start, pause, resume, stop, begin_within
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
    function region_call(name) bind(c) result(region)
      import :: c_char, c_ptr
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr) :: region
    end function
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
  end interface

  ! Threads that look at once find the same.
  logical, save :: is_looked_up = .false.
  logical, save :: is_loaded = .false.
  procedure(name_call), pointer, save :: begin_within => null(), mark => null()
  procedure(text_call), pointer, save :: fail => null()
  procedure(value_call), pointer, save :: counter => null()
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
        call c_f_procpointer(recorder%region, region_of)
        call c_f_procpointer(recorder%exit, leave)
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
end module
