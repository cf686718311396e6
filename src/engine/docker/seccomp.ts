// The seccomp profile of sandbox containers: an allow-list of system calls. It replaces Docker's default profile mainly because that
// allows preallocation, which can fill a disk before it is noticed (docs/adr/0010). Calls that need a capability still need it.

import type { EngineFeatures } from './engine-features.ts'

const files = `
  access cachestat chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2 fadvise64
  fchdir fchmod fchmodat fchmodat2 fchown fchownat fdatasync fgetxattr flistxattr flock fremovexattr fsetxattr fstat
  fstatfs fsync ftruncate futimesat getcwd getdents getdents64 getxattr getxattrat lchown lgetxattr link
  linkat listmount listxattr listxattrat llistxattr lremovexattr lseek lsetxattr lstat mkdir mkdirat mknod mknodat
  name_to_handle_at newfstatat open openat openat2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink
  readlinkat readv removexattr removexattrat rename renameat renameat2 rmdir sendfile setxattr setxattrat splice stat statfs
  statmount statx symlink symlinkat sync sync_file_range syncfs tee truncate umask unlink unlinkat utime utimensat utimes
  vmsplice write writev`

const waiting = `
  adjtimex alarm clock_adjtime clock_getres clock_gettime clock_nanosleep epoll_create epoll_create1 epoll_ctl epoll_ctl_old
  epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old eventfd eventfd2 futex futex_requeue futex_wait futex_waitv futex_wake
  getitimer gettimeofday nanosleep pause pipe pipe2 poll ppoll pselect6 select setitimer signalfd signalfd4 time timer_create
  timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime`

const memory = `
  brk get_mempolicy madvise map_shadow_stack mbind membarrier memfd_create mincore mlock mlock2 mlockall mmap mprotect mremap
  mseal msync munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect set_mempolicy`

const processes = `
  arch_prctl capget capset chroot execve execveat exit exit_group fork get_robust_list get_thread_area getcpu getegid geteuid
  getgid getgroups getpgid getpgrp getpid getppid getpriority getrandom getresgid getresuid getrlimit getrusage getsid gettid
  getuid ioprio_get ioprio_set kcmp kill landlock_add_rule landlock_create_ruleset landlock_restrict_self pidfd_getfd
  pidfd_open pidfd_send_signal prlimit64 process_vm_readv process_vm_writev ptrace restart_syscall rseq rt_sigaction
  rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo
  sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler
  sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield set_robust_list
  set_thread_area set_tid_address setfsgid setfsuid setgid setgroups setpgid setpriority setregid setresgid setresuid setreuid
  setrlimit setsid setuid sigaltstack sysinfo tgkill times tkill uname uretprobe vfork wait4 waitid`

const messages = `
  accept accept4 bind connect getpeername getsockname getsockopt listen mq_getsetattr mq_notify mq_open mq_timedreceive
  mq_timedsend mq_unlink msgctl msgget msgrcv msgsnd recvfrom recvmmsg recvmsg semctl semget semop semtimedop sendmmsg sendmsg
  sendto shmat shmctl shmdt shmget shutdown`

/** The kernel counts inotify per user of the machine: allowed only where each container has a limit of its own. */
const watching = 'inotify_add_watch inotify_init inotify_init1 inotify_rm_watch'

const errors = { notSupported: 95, notThere: 38, invalid: 22, notPermitted: 1 }
const namespaceFlags = 0x7e020000
/** PER_LINUX and PER_LINUX32, with or without UNAME26, and the query of the current value. */
const personalities = [0, 0x8, 0x20000, 0x20008, 0xffffffff]
/** ioctl requests with the letter X, which file systems share; some of them preallocate. */
const fileSystemRequests = { shift: 8, bits: 8, value: 'X'.charCodeAt(0) }
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK (addresses and routes) and AF_PACKET (tcpdump). */
const socketFamilies = [1, 2, 10, 16, 17]

/** prctl(PR_SET_SECCOMP): compiled filters use memory that is limited for the whole machine; when it is full, no container starts. */
const ownFilter = { shift: 0, bits: 32, value: 22 }
/** Socket filters, and timestamps of sent packets, which are queued in memory that the kernel charges to no container. */
const socketOptions = { level: 1, most: 90, refused: [26, 37, 50, 51, 52, 65] }
/** Open file description locks (fcntl 36 to 39): they cannot be attributed to a process, so they could not be limited. */
const openFileLocks = { shift: 2, bits: 30, value: 9 }

const names = (text: string): string[] => text.trim().split(/\s+/)
const allow = (name: string, args: object[]) => ({ names: [name], action: 'SCMP_ACT_ALLOW', args })
const masked = (index: number, mask: number, value: number) => ({ index, value: mask, valueTwo: value, op: 'SCMP_CMP_MASKED_EQ' })

/** One rule for each bit that may differ: a comparison of whole values could be bypassed with bits that the kernel ignores. */
const allowUnless = (name: string, index: number, { shift, bits, value }: typeof fileSystemRequests) =>
  Array.from({ length: bits }, (_, bit) => {
    const mask = 2 ** (shift + bit)
    return allow(name, [masked(index, mask, (value >> bit) & 1 ? 0 : mask)])
  })

export const seccompProfile = ({ boundsCounters }: Pick<EngineFeatures, 'boundsCounters'>): string =>
  JSON.stringify({
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: errors.notPermitted,
    archMap: [{ architecture: 'SCMP_ARCH_X86_64' }, { architecture: 'SCMP_ARCH_AARCH64' }],
    syscalls: [
      { names: [files, waiting, memory, processes, messages].flatMap(names), action: 'SCMP_ACT_ALLOW' },
      allow('clone', [masked(0, namespaceFlags, 0)]),
      ...personalities.map((value) => allow('personality', [{ index: 0, value, op: 'SCMP_CMP_EQ' }])),
      ...allowUnless('ioctl', 1, fileSystemRequests),
      ...allowUnless('prctl', 0, ownFilter),
      ...allowUnless('fcntl', 1, openFileLocks),
      { names: ['fcntl'], action: 'SCMP_ACT_ERRNO', errnoRet: errors.invalid, args: [masked(1, 0xfffffffc, openFileLocks.value << 2)] },
      { names: ['seccomp'], action: 'SCMP_ACT_ERRNO', errnoRet: errors.notThere },
      ...allowUnless('setsockopt', 1, { shift: 0, bits: 32, value: socketOptions.level }),
      ...Array.from({ length: socketOptions.most }, (_, index) => index + 1)
        .filter((option) => !socketOptions.refused.includes(option))
        .map((option) => allow('setsockopt', [masked(1, 0xffffffff, socketOptions.level), masked(2, 0xffffffff, option)])),
      ...socketFamilies.flatMap((family) => ['socket', 'socketpair'].map((name) => allow(name, [masked(0, 0xffffffff, family)]))),
      // Limited for the whole machine: programs work without them.
      { names: ['io_setup', ...(boundsCounters ? [] : names(watching))], action: 'SCMP_ACT_ERRNO', errnoRet: errors.notThere },
      ...(boundsCounters ? [{ names: names(watching), action: 'SCMP_ACT_ALLOW' }] : []),
      // A filter cannot see its flags, which are in memory; programs fall back to clone.
      { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: errors.notThere },
      // As on a file system without support: programs fall back to writing.
      { names: ['fallocate'], action: 'SCMP_ACT_ERRNO', errnoRet: errors.notSupported },
    ],
  })
