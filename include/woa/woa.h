/* The WOA library: compiles a task graph to a plan, and runs the plan in this process or with a process per controller.
 * C11 and C++. Beside it stands the kernel ABI (woa_kernel.h), whose views of tokens this interface shares.
 *
 *     woa_plan *plan = NULL;
 *     woa_run *run = NULL;
 *     if (woa_compile("graph.yaml", NULL, NULL, 0, NULL, NULL, &plan) != WOA_OK) return complain(woa_message());
 *     const woa_run_setup setup = {sizeof setup, NULL, 0, on_completion, user, NULL};
 *     if (woa_run_start(plan, &setup, &run) != WOA_OK) return complain(woa_message());
 *     while (more && woa_run_submit_within(run, fill, user, 0, WOA_FOREVER, NULL) == WOA_OK) {}
 *     woa_run_drain(run, WOA_FOREVER);
 *     woa_run_free(run);
 *     woa_plan_free(plan);
 *
 * Rules for all functions:
 *  - A function that can fail returns a status, whose number says what to do next (woa_kernel.h).
 *    woa_message() then has the reason: the place, what was found and expected, and what to do. Options have the names
 *    that woa_options() lists.
 *  - Texts are UTF-8 and end with a zero. Times are in nanoseconds, sizes in bytes.
 *  - A returned object belongs to the caller, who frees it with the function of its type. A null object may be freed.
 *    Other returned pointers are borrowed, for as long as stands beside them.
 *  - No exception leaves the library. A callback must not let one out; woa.hpp catches those of C++.
 *  - Memory that the system refuses is WOA_EXHAUSTED: from the call that needed it, or as the end of an instance or of
 *    the run. The program may go on; docs/embedding.md has the exceptions.
 *  - Signals are the program's own: the library sets no handler, and signals do not reach its threads, but for SIGPROF
 *    and those that a thread's own instruction raises. A signal that the program blocks in its threads waits for it.
 *  - Structures with a member `size` may grow at their ends in later versions, which take the earlier sizes, too: set
 *    it to sizeof the structure.
 */
#ifndef WOA_WOA_H
#define WOA_WOA_H

#include <stddef.h>
#include <stdint.h>

#include "woa_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WOA_API __attribute__((visibility("default")))
/* Grows with each change that old programs notice; the library's soname has it. */
#define WOA_API_VERSION 1
#define WOA_FOREVER UINT64_MAX

/* The library's version, such as "0.1.0". */
WOA_API const char *woa_version(void);
/* The status's name, such as "not_found", as JSON has it. Never null. */
WOA_API const char *woa_status_name(woa_status status);
/* Why the last call of this thread that failed did so. Borrowed until the thread's next call. Never null. */
WOA_API const char *woa_message(void);
/* Frees a text that a function gave to its caller. */
WOA_API void woa_text_free(char *text);

/* An option by its name: those of the `woa` program's commands, without their dashes ("window", "machine", "model"). An
 * option that may be repeated is. The value of a flag is "true". woa_options() lists them. */
typedef struct woa_option {
  const char *name;
  const char *value;
} woa_option;

/* The options of woa_compile() ("compile") or woa_run_start() ("run") as a JSON array of
 * {"name", "type", "description", "default", "repeated"}. The caller frees it. WOA_NOT_FOUND: another name. */
WOA_API woa_status woa_options(const char *of, char **json);

/* ---- Kernels of the program ---- */

/* Registers a kernel whose functions are the program's own, for graphs that this process compiles afterwards. Its name
 * goes before a kernel of the graph's `kernels` or of a folder. `description`: the text of a kernel.yaml without
 * `library`, with only a cpu variant. `functions` is copied; the code that it names, and `user`, must stay valid until
 * the process ends. A name that is registered again is for plans compiled later: each plan runs what it was compiled
 * with. Any thread.
 * create() finds `user` in *self, and destroy() follows each create() that succeeded and left *self not null. Without
 * create() all other functions get `user` itself.
 * The thread that drives the run calls create() within woa_run_start(); woa_run_free() calls destroy() and the last of
 * retire(). Other threads of the library make all other calls, several at once. A caller of any function of a run must
 * not hold a lock that a kernel takes.
 * Such a plan runs with "processes" "one" alone, and woa_plan_write() refuses it: both say so as WOA_UNSUPPORTED.
 * WOA_INVALID: the description is wrong, or a function is missing. WOA_UNSUPPORTED: another kernel ABI. */
WOA_API woa_status woa_kernel_register(const char *description, const woa_kernel *functions, void *user);

/* ---- Kernels of the program in worker processes ---- */

/* Gives a worker process the means to make a registered kernel's functions (docs/isolation.md). */
typedef struct woa_sending {
  /* Gives it: bytes that stay valid until the next call. Within woa_run_start(), in its thread. A status other than
   * WOA_OK says why the functions cannot be sent; null: they are not to be. */
  woa_status (*send)(void *user, const void **bytes, size_t *size, woa_error *error);
  /* Takes what a firing that failed there gave to woa_worker_attach(), before the instance completes; may be null. A
   * thread of the library calls it; `self` is as of create(). */
  void (*attached)(void *self, uint64_t instance, const void *bytes, size_t size);
} woa_sending;
/* woa_kernel_register() for a kernel that worker processes can run, too. They are started with the option
 * "worker-command" of woa_run_start(), once for the program and once for each of its arguments; the option
 * "program-kernels" says which firings they run. `sending` is copied. */
WOA_API woa_status woa_kernel_register_sent(const char *description, const woa_kernel *functions, void *user,
                                            const woa_sending *sending);

/* Makes functions of what `send` gave. They are valid while this process lives. */
typedef woa_status (*woa_receive)(void *context, const void *bytes, size_t size, const woa_kernel **functions,
                                  void **user, woa_error *error);
/* Called by the worker program: runs firings until the run needs it no more, or is gone. Returns the exit code: 0, 1 if
 * its kernels could not be loaded (the run says why), or 2 if no run started it. */
WOA_API int woa_worker_serve(woa_receive receive, void *context);
/* From a kernel's run() in a worker process: bytes that go with the failure that it is about to return. What exceeds
 * 64 KiB is not sent, and then nothing is. */
WOA_API void woa_worker_attach(const void *bytes, size_t size);

/* ---- Plans ---- */

/* A compiled graph. Never changes; any thread. */
typedef struct woa_plan woa_plan;

typedef enum woa_severity { WOA_ERROR = 0, WOA_WARNING = 1 } woa_severity;

/* A problem of a graph, or of a file that it names. Borrowed until the callback returns. */
typedef struct woa_diagnostic {
  woa_severity severity;
  const char *code;                   /* "E0204"; woa_page() explains it */
  const char *file;                   /* or "command line", where an option is wrong */
  uint32_t line, column, length;      /* from 1, in characters; 0: the file as a whole */
  const char *text;                   /* what is wrong, and what was expected */
  const char *fix;                    /* what to do; perhaps empty */
  const char *shown;                  /* all of it as the compiler prints it, with the line of the file and the notes */
  const struct woa_diagnostic *notes; /* other places that matter to it; only file, line, column, length and text */
  size_t note_count;
} woa_diagnostic;
typedef void (*woa_on_diagnostic)(void *user, const woa_diagnostic *diagnostic);

/* Compiles a graph, or reads a compiled plan. `file`: the path of a graph (YAML) or a plan. `text`: null, or the
 * graph's text, for which `file` stands in diagnostics and gives the folder of relative paths. All problems are given
 * to `on_diagnostic` in order of place, warnings included; it may be null. Blocks: with a profile for as long as
 * "placement-limit" says. Any thread.
 * WOA_INVALID: an option or the graph is wrong. WOA_NOT_FOUND, WOA_UNAVAILABLE: a file cannot be read. */
WOA_API woa_status woa_compile(const char *file, const char *text, const woa_option *options, size_t option_count,
                               woa_on_diagnostic on_diagnostic, void *user, woa_plan **plan);
/* Writes the plan for `woa run PLAN`, woa_compile() and other hosts. WOA_UNAVAILABLE: the file cannot be written. */
WOA_API woa_status woa_plan_write(const woa_plan *plan, const char *file);
/* The plan as text. `form`: "json", the object of `woa compile --json` with "inputs", "outputs", "controllers",
 * "stages", "files" and "overlap" (how many instances the buffers hold at once) added; or "dot", a graph for Graphviz.
 * The caller frees it. WOA_NOT_FOUND: another form. */
WOA_API woa_status woa_plan_text(const woa_plan *plan, const char *form, char **text);

/* An input or output of a graph. Borrowed from the plan. */
typedef struct woa_port {
  const char *name;
  const char *element; /* "u8", "f64", ...; "bytes": no dimensions */
  uint32_t rank;
  struct {
    const char *name; /* "" if the size is fixed */
    uint32_t size;    /* 0: each token has its own */
    uint32_t max;     /* of a size that varies; 0: only max_bytes bounds it */
  } dims[WOA_MAX_RANK];
  uint64_t max_bytes; /* of one token */
} woa_port;
typedef enum woa_direction { WOA_IN = 0, WOA_OUT = 1 } woa_direction;
/* Port number `index` of the graph, in the graph's order. WOA_NOT_FOUND: there are not so many.
 * WOA_INVALID: another direction. */
WOA_API woa_status woa_plan_port(const woa_plan *plan, woa_direction direction, uint32_t index, woa_port *port);
WOA_API void woa_plan_free(woa_plan *plan); /* runs that were started keep what they need */

/* The page of a diagnostic's code ("E0204"), in Markdown: what it means, and an example. The caller frees it.
 * WOA_NOT_FOUND: there is no such code. */
WOA_API woa_status woa_page(const char *code, char **markdown);

/* ---- Runs ---- */

/* A plan that runs. With the option "thread" = "caller" (default) the thread that started it makes every call but
 * woa_run_cancel() and woa_run_statistics(), and callbacks come from within these calls; other threads are answered
 * WOA_INVALID. With "own" the library drives the run by a thread of its own, from which callbacks come, and any thread
 * may call any function below. A callback may submit, cancel and give back; to wait, finish or free it is answered
 * WOA_INVALID. A process may have several runs. A forked child has none: there every function answers
 * WOA_UNSUPPORTED, and woa_run_free() does nothing. */
typedef struct woa_run woa_run;

/* How an instance ended. Borrowed until the callback returns; outputs longer, if they are kept. */
typedef struct woa_completion {
  uint64_t instance; /* as woa_run_submit() numbered it */
  void *user;        /* of its woa_run_submit() */
  uint64_t latency_ns;
  woa_status status;
  const char *stage;   /* that failed; "" if none did */
  const char *message; /* why; "" */
  /* By output of the graph; none if it failed. `absent`: its stage wrote nothing. The data lie where the last stage
   * wrote them. */
  const woa_input *outputs;
  size_t output_count;
} woa_completion;

/* WOA_KEEP: the outputs stay as they are until woa_run_give_back(), and the instance keeps its place in the window. */
typedef enum woa_taken { WOA_DONE = 0, WOA_KEEP = 1 } woa_taken;
typedef woa_taken (*woa_on_completion)(void *user, const woa_completion *completion);

/* Writes one input of an instance in place: `room->data` has `room->capacity` bytes, where the first stage reads. Sets
 * `room->bytes` and the dimensions that vary; fixed ones are set. Called once for each input, by woa_run_submit() or
 * later by what drives the run. A status other than WOA_OK fails the instance with `error`. */
typedef woa_status (*woa_fill)(void *user, uint64_t instance, uint32_t input, woa_output *room, woa_error *error);

/* A woa_fill for data that lie ready: `user` is an array of woa_input, by input of the graph, which stays until the
 * instance has ended. Copies each once. WOA_TOO_LARGE, WOA_INVALID: a token does not fit the input. */
WOA_API woa_status woa_fill_from(void *user, uint64_t instance, uint32_t input, woa_output *room, woa_error *error);

typedef struct woa_run_setup {
  size_t size; /* sizeof(woa_run_setup) */
  const woa_option *options;
  size_t option_count;
  woa_on_completion on_completion; /* null: completions are only counted */
  void *user;                      /* of both callbacks here */
  /* Tells a person about the start of a run, such as the address that nodes join by; null: nobody is told. */
  void (*on_message)(void *user, const char *text);
} woa_run_setup;

/* Loads the kernels that the plan names, whose code has the rights of this process. Starts devices and, with
 * "processes" "per-controller", a process for each controller: the program `woa`, which is found beside the library.
 * Blocks until all are ready, "start-limit" at most. WOA_INVALID: an option is wrong. WOA_UNSUPPORTED: the plan has
 * modelled times. WOA_UNAVAILABLE: a device, kernel or peer is missing. WOA_EXHAUSTED: a limit of the system. */
WOA_API woa_status woa_run_start(const woa_plan *plan, const woa_run_setup *setup, woa_run **run);

/* Submits the next instance. `deadline_ns`: for this one, from its place in the window on; 0: the plan's. `instance`:
 * its number, from 0 on; may be null. WOA_BACK_PRESSURED: as many instances are in flight as the plan's window has;
 * nothing was submitted. Other errors: the run has ended, and why. */
WOA_API woa_status woa_run_submit(woa_run *run, woa_fill fill, void *user, uint64_t deadline_ns, uint64_t *instance);
/* Submits the next instance although the window may be full. With "thread" = "own" the instance then waits in line, the
 * first to come is the first to be served, and the call returns: a thread may have one in line. For its next one it
 * waits until that one has its place, `timeout_ns` at most. A caller that drives waits here for the place itself.
 * WOA_BACK_PRESSURED: it waited in vain, and nothing was submitted. WOA_INVALID: a callback would have to wait.
 * Otherwise as woa_run_submit(), which is this with 0. */
WOA_API woa_status woa_run_submit_within(woa_run *run, woa_fill fill, void *user, uint64_t deadline_ns,
                                         uint64_t timeout_ns, uint64_t *instance);
/* Waits until the instance has ended, well or not, and its callback has returned. Drives the run, if its thread is the
 * caller's. WOA_NOT_FOUND: no instance of that number was submitted. WOA_TIMED_OUT: it has not ended within
 * `timeout_ns`. WOA_INVALID: a callback calls. */
WOA_API woa_status woa_run_wait(woa_run *run, uint64_t instance, uint64_t timeout_ns);
/* Drives the run, if its thread is the caller's. Returns when an instance has ended, or a place in the window became
 * free, since this thread's last call or refused submission; WOA_TIMED_OUT if neither came within `timeout_ns`. 0:
 * never blocks. Each progress wakes every thread that waits here: many threads do better with the two functions above.
 * Other errors: why the run has ended. */
WOA_API woa_status woa_run_work(woa_run *run, uint64_t timeout_ns);
/* Gives kept outputs back. WOA_NOT_FOUND: the instance's are not kept. */
WOA_API woa_status woa_run_give_back(woa_run *run, uint64_t instance);
/* Fails the instance as WOA_CANCELLED, or with WOA_FOREVER for its number all of the run, from any thread. A kernel
 * that runs is not interrupted. WOA_NOT_FOUND: the instance has ended, or was never submitted; beside a run that its
 * caller drives, other threads are answered WOA_OK in any case. */
WOA_API woa_status woa_run_cancel(woa_run *run, uint64_t instance, const char *why);

typedef struct woa_statistics {
  size_t size; /* sizeof(woa_statistics) */
  uint64_t submitted, succeeded, failed, in_flight, kept;
  uint64_t latency_min_ns, latency_p50_ns, latency_p99_ns, latency_max_ns; /* of those that succeeded; 0: none has */
} woa_statistics;
WOA_API woa_status woa_run_statistics(woa_run *run, woa_statistics *statistics);

/* Drives all submitted instances to their ends, until their callbacks have returned. WOA_TIMED_OUT: some are in flight
 * still. Other errors: why the run has ended. */
WOA_API woa_status woa_run_drain(woa_run *run, uint64_t timeout_ns);
/* Drains, ends the controllers and collects their counts, "end-limit" at most. `json`: the object of `woa run --json`
 * without `turnaround_us`, and without what it says of files; may be null; the caller frees it. Afterwards only kept
 * outputs, woa_run_give_back() and woa_run_free() are left. WOA_INVALID: kept outputs hold blocks that instances in
 * flight need; give them back, and call again; or another thread finishes the run. Other errors: why
 * the run has ended. */
WOA_API woa_status woa_run_finish(woa_run *run, char **json);
/* Ends the run, and all that belongs to it, whatever state it is in: instances in flight are cancelled without a
 * callback, kept outputs are gone. Waits for kernels that run in threads of this process. */
WOA_API void woa_run_free(woa_run *run);

#ifdef __cplusplus
}
#endif
#endif
