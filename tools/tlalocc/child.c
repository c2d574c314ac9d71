#include "child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"

static char temp_dir[1024]; /* "" until it is made; handlers read it */
static volatile sig_atomic_t running_child;
static volatile sig_atomic_t alarm_went_off;

/* ---- temporaries ---- */

static char *make_folder(char *path) {
  if (strlen(path) >= sizeof temp_dir) {
    errno = ENAMETOOLONG;
    return NULL;
  }
  /* What cc's -ffile-prefix-map=OLD=NEW and line markers cannot name. */
  if (strpbrk(path, "=\r\n")) {
    errno = EINVAL;
    return NULL;
  }
  return mkdtemp(path);
}

/* In TMPDIR, and where that cannot be used in /tmp, as cc does. */
static const char *temporary_folder(tl_arena *a) {
  const char *parents[] = {getenv("TMPDIR"), "/tmp"};
  for (int i = 0; i < 2 && !temp_dir[0]; i++) {
    char *path = parents[i] && *parents[i] ? tl_arena_printf(a, "%s/tlalocc-XXXXXX", parents[i]) : NULL;
    if (path && make_folder(path)) {
      memcpy(temp_dir, path, strlen(path) + 1);
    }
  }
  return temp_dir[0] ? temp_dir : NULL;
}

const char *tl_temp_complaint(tl_arena *a) {
  int why = errno;
  const char *parent = getenv("TMPDIR");
  return tl_arena_printf(a, "cannot make a temporary folder in %s%s/tmp: %s", parent ? parent : "",
                         parent ? " (TMPDIR) or in " : "", strerror(why));
}

FILE *tl_temp_open(tl_arena *a) {
  const char *dir = temporary_folder(a);
  char *path = dir ? tl_arena_printf(a, "%s/XXXXXX", dir) : NULL;
  int fd = path ? mkostemp(path, O_CLOEXEC) : -1;
  FILE *f = fd >= 0 ? fdopen(fd, "w+") : NULL;
  if (fd >= 0) {
    unlink(path);
  }
  return f;
}

const char *tl_temp_file(tl_arena *a, uint32_t subfolder, const char *name) {
  const char *dir = temporary_folder(a);
  if (!dir) {
    return NULL;
  }
  mkdir(tl_arena_printf(a, "%s/%u", dir, subfolder), 0700);
  return tl_arena_printf(a, "%s/%u/%s", dir, subfolder, name);
}

static void remove_tree(int parent, const char *name) {
  if (unlinkat(parent, name, 0) == 0) {
    return;
  }
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
  if (!dir) {
    return;
  }
  for (struct dirent *e; (e = readdir(dir)) != NULL;) {
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
      remove_tree(dirfd(dir), e->d_name);
    }
  }
  closedir(dir);
  unlinkat(parent, name, AT_REMOVEDIR);
}

void tl_temp_remove_all(void) {
  if (temp_dir[0]) {
    remove_tree(AT_FDCWD, temp_dir);
    temp_dir[0] = '\0';
  }
}

/* ---- signals ---- */

static volatile sig_atomic_t ending_signal;

static void on_end(int number) {
  ending_signal = number;
  if (running_child) {
    kill((pid_t)running_child, number);
  }
}

static void on_alarm(int number) {
  (void)number;
  alarm_went_off = 1;
  if (running_child) {
    kill((pid_t)running_child, SIGKILL);
  }
}

static const int ending_signals[] = {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGXCPU};
enum { ENDING_SIGNAL_COUNT = sizeof ending_signals / sizeof *ending_signals };

static void block_ending_signals(sigset_t *before) {
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < ENDING_SIGNAL_COUNT; i++) {
    sigaddset(&set, ending_signals[i]);
  }
  sigaddset(&set, SIGALRM);
  sigprocmask(SIG_BLOCK, &set, before);
}

void tl_child_install_signal_handlers(void) {
  struct sigaction action = {.sa_handler = on_end}; /* no SA_RESTART: waitpid returns */
  for (int i = 0; i < ENDING_SIGNAL_COUNT; i++) {
    struct sigaction old;
    if (sigaction(ending_signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
      sigaction(ending_signals[i], &action, NULL);
    }
  }
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, NULL);
}

/* Out of the handlers, where memory and folders may be touched again. */
void tl_child_end_if_told_to(void) {
  int number = ending_signal;
  if (number) {
    tl_temp_remove_all();
    signal(number, SIG_DFL);
    raise(number);
  }
}

/* ---- running ---- */

static char **argv_of(tl_arena *a, const tl_args *args) {
  char **argv = TL_NEW_ARRAY(a, char *, args->count + 1);
  for (uint32_t i = 0; i < args->count; i++) {
    argv[i] = tl_arena_strdup(a, args->data[i]);
  }
  return argv;
}

int tl_child_exec(tl_arena *a, const tl_args *args) {
  char **argv = argv_of(a, args);
  execvp(argv[0], argv);
  return errno;
}

static const char *program_path(tl_arena *a, const char *name) {
  if (strchr(name, '/')) {
    return name;
  }
  const char *list = getenv("PATH");
  while (list && *list) {
    size_t length = strcspn(list, ":");
    const char *path = tl_arena_printf(a, "%.*s/%s", length ? (int)length : 1, length ? list : ".", name);
    struct stat st;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0) {
      return path;
    }
    list += length + (list[length] == ':');
  }
  return name;
}

bool tl_program_is_tlalocc(tl_arena *a, const char *name) {
  const char *path = program_path(a, name);
  struct stat ours, theirs;
  if (stat("/proc/self/exe", &ours) == 0 && stat(path, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
      ours.st_ino == theirs.st_ino) {
    return true;
  }
  char *real = realpath(path, NULL);
  bool is = real && strcmp(tl_path_base(real), "tlalocc") == 0;
  free(real);
  return is;
}

static void start(char **argv, FILE *out, FILE *err, const sigset_t *mask, int report) {
  for (int i = 0; i < ENDING_SIGNAL_COUNT; i++) {
    struct sigaction old;
    if (sigaction(ending_signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
      signal(ending_signals[i], SIG_DFL);
    }
  }
  signal(SIGALRM, SIG_DFL);
  sigprocmask(SIG_SETMASK, mask, NULL);
  if ((out && dup2(fileno(out), 1) < 0) || (err && dup2(fileno(err), 2) < 0)) {
    _exit(127);
  }
  execvp(argv[0], argv);
  int why = errno;
  ssize_t ignored = write(report, &why, sizeof why);
  (void)ignored;
  _exit(127);
}

tl_child_result tl_child_run(tl_arena *a, const tl_args *args, FILE *out, FILE *err, unsigned limit) {
  tl_child_result result = {0};
  char **argv = argv_of(a, args);
  int report[2];
  tl_child_end_if_told_to();
  fflush(NULL);
  if (pipe2(report, O_CLOEXEC) != 0) {
    return (tl_child_result){.status = 127, .start_error = errno};
  }
  sigset_t before;
  block_ending_signals(&before); /* so that no signal falls between fork and the note of the child's id */
  pid_t child = fork();
  if (child == 0) {
    start(argv, out, err, &before, report[1]);
  }
  int fork_error = errno;
  running_child = child > 0 ? (sig_atomic_t)child : 0;
  alarm_went_off = 0;
  sigprocmask(SIG_SETMASK, &before, NULL);
  close(report[1]);
  if (child < 0) {
    close(report[0]);
    return (tl_child_result){.status = 127, .start_error = fork_error};
  }
  alarm(limit);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  alarm(0);
  running_child = 0;
  if (read(report[0], &result.start_error, sizeof result.start_error) != (ssize_t)sizeof result.start_error) {
    result.start_error = 0;
  }
  close(report[0]);
  result.timed_out = alarm_went_off;
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  if (result.signal == SIGPIPE && !out) {
    ending_signal = SIGPIPE; /* the reader of our output has seen enough: no fault of the child's */
  }
  tl_child_end_if_told_to();
  return result;
}

char *tl_child_words(tl_arena *a, const tl_args *args) {
  FILE *out = tl_temp_open(a);
  if (!out) {
    return NULL;
  }
  tl_child_run(a, args, out, out, 0);
  rewind(out);
  size_t length;
  char *text = tl_file_read(a, out, &length);
  fclose(out);
  return text;
}
