!> Runs ICON4Py's diffusion granule (grid_init, diffusion_init, diffusion_run) on a synthetic torus.
!> usage: main [backend=2] [nx=16] [ny=16] [nlev=20] [nsteps=5] [pad=0] [dumpfile] [zd=0] [absent=0] [fault]
!> zd=1: also passes the four optional zd_* lists (truly horizontal temperature diffusion over slopes)
!> absent=1: leaves the four optional diagnostics out
!> fault: small_vn, noinit, borrow or copied: what a model can do wrong, or might think is wrong
program main
  use, intrinsic :: iso_c_binding
  use model_py, only: grid_init, diffusion_init, diffusion_run
  use py2f, only: py2f_ok
  use torus_grid
  use dump_mod
  implicit none
  integer, parameter :: wp = c_double, ik = c_int, lk = c_bool
  type(t_grid), target :: g
  integer(ik) :: backend
  integer :: nx, ny, nlev, nsteps, pad, k, i, step
  character(256) :: dumpfile
  character(16) :: fault
  real(wp), allocatable :: w(:,:), vn(:,:), exner(:,:), theta_v(:,:), rho(:,:)
  real(wp), allocatable :: hdef(:,:), div(:,:), dwdx(:,:), dwdy(:,:)
  real(wp), allocatable, target :: vct_a(:), theta_ref_mc(:,:), wgtfac_c(:,:)
  integer(ik), allocatable :: zci(:,:), zvi(:,:)  ! not allocated: absent
  real(wp), allocatable :: zic(:,:), zdc(:)
  logical :: zd, absent
  integer :: n
  real(wp), parameter :: top = 23500.0_wp, dt = 2.0_wp
  integer(8) :: t0, t1, rate
  integer :: stat
  character(300) :: errmsg

  backend = int(arg(1, 2), ik); nx = arg(2,16); ny = arg(3,16); nlev = arg(4,20); nsteps = arg(5,5); pad = arg(6,0)
  dumpfile = ''
  if (command_argument_count() >= 7) call get_command_argument(7, dumpfile)

  zd = arg(8,0) /= 0; absent = arg(9,0) /= 0
  call get_command_argument(10, fault)

  call make_torus(g, nx, ny, edge_len=5000.0_wp, pad=pad)
  allocate(vct_a(nlev+1), theta_ref_mc(g%npc,nlev), wgtfac_c(g%npc,nlev+1))
  do k = 1, nlev+1
    vct_a(k) = top*(real(nlev+1-k,wp)/nlev)**1.5_wp
  end do
  do k = 1, nlev
    theta_ref_mc(:,k) = 290.0_wp + 0.004_wp*0.5_wp*(vct_a(k)+vct_a(k+1))
  end do
  wgtfac_c = 0.5_wp

  allocate(w(g%npc,nlev+1), vn(g%npe - merge(200, 0, fault == 'small_vn'),nlev), exner(g%npc,nlev), theta_v(g%npc,nlev), rho(g%npc,nlev))
  allocate(hdef(g%npc,nlev+1), div(g%npc,nlev+1), dwdx(g%npc,nlev+1), dwdy(g%npc,nlev+1), source=0.0_wp)
  do k = 1, nlev
    do i = 1, size(vn, 1)
      vn(i,k) = 10.0_wp*sin(0.37_wp*i + 0.11_wp*k) + 3.0_wp*cos(1.3_wp*i)
    end do
    do i = 1, g%npc
      theta_v(i,k) = theta_ref_mc(i,k) + 2.0_wp*sin(0.71_wp*i + 0.2_wp*k)
      exner(i,k) = (1.0_wp - 2.2e-5_wp*0.5_wp*(vct_a(k)+vct_a(k+1))) + 1.0e-4_wp*cos(0.5_wp*i)
      rho(i,k) = 1.2_wp*exp(-0.5_wp*(vct_a(k)+vct_a(k+1))/8000.0_wp)
    end do
  end do
  do k = 1, nlev+1
    do i = 1, g%npc
      w(i,k) = 0.5_wp*sin(0.9_wp*i + 0.3_wp*k)
    end do
  end do

  if (zd) then
    n = 0
    allocate(zci(4,g%nc*4), zvi(4,g%nc*4), zic(3,g%nc*4), zdc(g%nc*4))
    do k = nlev-4, nlev-1
      do i = 1, g%nc, 3
        n = n + 1
        zci(:,n) = [int(i,ik), g%c2e2c(i,:)]
        zvi(:,n) = int(k,ik) + [0_ik, -1_ik, 0_ik, 0_ik]
        zic(:,n) = [0.25_wp, 0.5_wp, 0.75_wp]
        zdc(n) = 0.01_wp
      end do
    end do
    zci = zci(:,1:n); zvi = zvi(:,1:n); zic = zic(:,1:n); zdc = zdc(1:n)
  end if

  if (dumpfile /= '') then
    call dump_open(trim(dumpfile)//'.in')
    call dump_inputs()
    call dump_close()
  end if

  call system_clock(t0, rate)
  if (fault /= 'noinit') call grid_init(g%cell_starts, g%cell_ends, g%vert_starts, g%vert_ends, g%edge_starts, g%edge_ends, &
    g%c2e, g%e2c, g%c2e2c, g%e2c2e, g%e2c2v, g%v2e, g%v2c, g%e2c2v, g%c2v, &
    g%c_own, g%e_own, g%v_own, g%c_glb, g%e_glb, g%v_glb, &
    g%tangent_orientation, g%inv_primal, g%inv_dual, g%inv_vv, g%area_edge, g%f_e, &
    g%clat, g%clon, g%area, g%pnv_x, g%pnv_y, g%dnv_x, g%dnv_y, g%pnc_x, g%pnc_y, g%dnc_x, g%dnc_y, &
    g%elat, g%elon, g%pnx, g%pny, vct_a, &
    50.0_wp, top, 1.0_wp, 16000.0_wp, 12000.0_wp, g%area(1), &
    0_ik, int(g%nv,ik), int(g%nc,ik), int(g%ne,ik), int(nlev,ik), .false., backend)
  call system_clock(t1)
  print '(a,f0.3,a)', 'grid_init      ', real(t1-t0,wp)/rate, ' s'

  call system_clock(t0)
  call diffusion_init(theta_ref_mc, wgtfac_c, g%e_bln_c_s, g%geofac_div, g%grg_x, g%grg_y, g%geofac_n2s, &
    g%nudge_e, g%rbf_v, zci, zvi, zic, zdc, &
    5_ik, 5_ik, .true., .true., .false., zd, 2_ik, 1_ik, &
    36.0_wp, 15.0_wp, 0.015_wp, 0.025_wp, 0.0_wp, 1.0_wp, 32500.0_wp, 60000.0_wp, 75000.0_wp, 90000.0_wp, &
    .true., 200.0_wp, 0.02_wp*5, 2_ik, 0_ik, 1.0_wp, .false., backend)
  call system_clock(t1)
  print '(a,f0.3,a)', 'diffusion_init ', real(t1-t0,wp)/rate, ' s'

  if (fault == 'borrow') g%area = 0.0_wp  ! Python keeps it: the granule would go on with other numbers
  if (fault == 'copied') then             ! Python has copies: nothing happens
    g%c2e = 1; g%e2c = 1; g%v2e = 1; g%e2c2v = 1; g%c2e2c = 1; g%rbf_v = 0
  end if
  do step = 0, nsteps
    call system_clock(t0)
    if (absent) then
      call diffusion_run(w, vn, exner, theta_v, rho, dtime=dt, linit=step == 0, stat=stat, errmsg=errmsg)
    else
      call diffusion_run(w, vn, exner, theta_v, rho, hdef, div, dwdx, dwdy, dt, step == 0, stat, errmsg)
    end if
    call system_clock(t1)
    if (stat /= py2f_ok) then
      print '(a,i0,2a)', 'diffusion_run ended with status ', stat, ': ', trim(errmsg)
      error stop 1, quiet=.true.
    end if
    if (step < 5 .or. step > nsteps-3) &
      print '(a,i0,a,f0.6,a,es12.5)', 'diffusion_run step ', step, '  ', real(t1-t0,wp)/rate, ' s   max|vn| ', &
            maxval(abs(vn(1:min(g%ne, size(vn, 1)),:)))
  end do

  print '(a)', 'checksums (sum, min, max, xor of the 64-bit patterns) over the true points:'
  call check('vn', vn(1:g%ne,:)); call check('w', w(1:g%nc,:)); call check('theta_v', theta_v(1:g%nc,:))
  call check('exner', exner(1:g%nc,:)); call check('rho', rho(1:g%nc,:))
  call check('hdef_ic', hdef(1:g%nc,:)); call check('div_ic', div(1:g%nc,:))
  call check('dwdx', dwdx(1:g%nc,:)); call check('dwdy', dwdy(1:g%nc,:))
  if (dumpfile /= '') then
    call dump_open(trim(dumpfile)//'.out')
    call dump('w', w); call dump('vn', vn); call dump('exner', exner); call dump('theta_v', theta_v); call dump('rho', rho)
    call dump('hdef_ic', hdef); call dump('div_ic', div); call dump('dwdx', dwdx); call dump('dwdy', dwdy)
    call dump_close()
  end if

contains
  integer function arg(n, default)
    integer, intent(in) :: n, default
    character(64) :: s
    arg = default
    if (command_argument_count() >= n) then
      call get_command_argument(n, s); read(s, *) arg
    end if
  end function
  subroutine check(name, x)
    use, intrinsic :: ieee_arithmetic
    character(*), intent(in) :: name
    real(wp), intent(in) :: x(:,:)
    integer(8) :: h
    integer :: a, b
    h = 0
    do b = 1, size(x,2)
      do a = 1, size(x,1)
        h = ieor(h, transfer(x(a,b), h))
      end do
    end do
    print '(a10,3(1x,es24.16),1x,z16.16,1x,a)', name, sum(x), minval(x), maxval(x), h, &
      merge('finite    ', 'NOT FINITE', all(ieee_is_finite(x)))
  end subroutine
  subroutine dump_inputs()
    call dump('cell_starts', g%cell_starts); call dump('cell_ends', g%cell_ends)
    call dump('vertex_starts', g%vert_starts); call dump('vertex_ends', g%vert_ends)
    call dump('edge_starts', g%edge_starts); call dump('edge_ends', g%edge_ends)
    call dump('c2e', g%c2e); call dump('e2c', g%e2c); call dump('c2e2c', g%c2e2c); call dump('e2c2e', g%e2c2e)
    call dump('e2v', g%e2c2v); call dump('v2e', g%v2e); call dump('v2c', g%v2c); call dump('e2c2v', g%e2c2v); call dump('c2v', g%c2v)
    call dump('c_owner_mask', g%c_own); call dump('e_owner_mask', g%e_own); call dump('v_owner_mask', g%v_own)
    call dump('c_glb_index', g%c_glb); call dump('e_glb_index', g%e_glb); call dump('v_glb_index', g%v_glb)
    call dump('tangent_orientation', g%tangent_orientation); call dump('inverse_primal_edge_lengths', g%inv_primal)
    call dump('inv_dual_edge_length', g%inv_dual); call dump('inv_vert_vert_length', g%inv_vv)
    call dump('edge_areas', g%area_edge); call dump('f_e', g%f_e)
    call dump('cell_center_lat', g%clat); call dump('cell_center_lon', g%clon); call dump('cell_areas', g%area)
    call dump('primal_normal_vert_x', g%pnv_x); call dump('primal_normal_vert_y', g%pnv_y)
    call dump('dual_normal_vert_x', g%dnv_x); call dump('dual_normal_vert_y', g%dnv_y)
    call dump('primal_normal_cell_x', g%pnc_x); call dump('primal_normal_cell_y', g%pnc_y)
    call dump('dual_normal_cell_x', g%dnc_x); call dump('dual_normal_cell_y', g%dnc_y)
    call dump('edge_center_lat', g%elat); call dump('edge_center_lon', g%elon)
    call dump('primal_normal_x', g%pnx); call dump('primal_normal_y', g%pny); call dump('vct_a', vct_a)
    call dump('lowest_layer_thickness', 50.0_wp); call dump('model_top_height', top); call dump('stretch_factor', 1.0_wp)
    call dump('flat_height', 16000.0_wp); call dump('rayleigh_damping_height', 12000.0_wp); call dump('mean_cell_area', g%area(1))
    call dump('num_vertices', int(g%nv,ik)); call dump('num_cells', int(g%nc,ik)); call dump('num_edges', int(g%ne,ik))
    call dump('vertical_size', int(nlev,ik)); call dump('limited_area', .false._lk)
    call dump('theta_ref_mc', theta_ref_mc); call dump('wgtfac_c', wgtfac_c); call dump('e_bln_c_s', g%e_bln_c_s)
    call dump('geofac_div', g%geofac_div); call dump('geofac_grg_x', g%grg_x); call dump('geofac_grg_y', g%grg_y)
    call dump('geofac_n2s', g%geofac_n2s); call dump('nudgecoeff_e', g%nudge_e); call dump('rbf_vec_coeff_v', g%rbf_v)
    call dump('w', w); call dump('vn', vn); call dump('exner', exner); call dump('theta_v', theta_v); call dump('rho', rho)
    call dump('hdef_ic', hdef); call dump('div_ic', div); call dump('dwdx', dwdx); call dump('dwdy', dwdy)
    call dump('dtime', dt); call dump('zdiffu_t', logical(zd,lk)); call dump('absent', logical(absent,lk))
    if (zd) then
      call dump('zd_cellidx', zci); call dump('zd_vertidx', zvi); call dump('zd_intcoef', zic); call dump('zd_diffcoef', zdc)
    end if
  end subroutine
end program main
