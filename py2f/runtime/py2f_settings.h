/* SPDX-License-Identifier: 0BSD
 * py2f_settings.h - part of loader.c: what a program may say of how Python starts, by py2f_configure, in py2f.toml beside the
 * executable, or by a variable, in that order. The rows are those of py2f/configuration.py.
 */
#define SETTING(name, variable, choices, prose) { name, variable, choices, prose, NULL, NULL, 0 },

static struct setting {
  const char *name, *variable;
  const char *choices, *prose; /* "|0|1|2|" and "0, 1 or 2"; empty: any text */
  char *configured, *filed;    /* what py2f_configure and py2f.toml say */
  int line;                    /* of py2f.toml */
} settings[] = { PY2F_SETTINGS(SETTING) };

enum { SETTINGS = sizeof settings / sizeof *settings, WHERE = PATH_MAX + 64 };

static char toml[PATH_MAX]; /* the file, whether it is there or not; empty: it was not looked for */

static struct setting *setting_called(const char *name, size_t length)
{
  for (int i = 0; i < SETTINGS; i++) if (strlen(settings[i].name) == length && !memcmp(settings[i].name, name, length)) return &settings[i];
  return NULL;
}

/* What is said of a setting, and where, for messages; null: nothing. An empty text says nothing. */
static const char *said_of(const struct setting *s, char where[WHERE])
{
  const char *variable = getenv(s->variable);
  if (s->configured && *s->configured) return snprintf(where, WHERE, "%s in py2f_configure", s->name), s->configured;
  if (s->filed && *s->filed) return snprintf(where, WHERE, "%s:%d: %s", toml, s->line, s->name), s->filed;
  snprintf(where, WHERE, "%s", s->variable);
  return variable && *variable ? variable : NULL;
}

SHARED const char *py2f_setting(const char *name, const char **where) /* `where` may be null; its text stays until the next call */
{
  static __thread char place[WHERE];
  const struct setting *s = setting_called(name, strlen(name));
  if (where) *where = place;
  return s ? said_of(s, place) : NULL;
}

static int allowed(const struct setting *s, const char *value, const char *where)
{
  char word[64];
  snprintf(word, sizeof word, "|%s|", value);
  if (!*s->choices || !*value || (!strchr(value, '|') && strlen(value) < sizeof word - 3 && strstr(s->choices, word))) return PY2F_OK;
  return error_text(PY2F_NOT_STARTED, "%s must be %s, not '%s'", where, s->prose, value);
}

/* ---- py2f.toml: of TOML, lines of the form name = value, where a value is a text, a whole number, true or false */

static size_t distance(const char *a, size_t n, const char *b) /* letters to add, drop or change; Levenshtein's */
{
  size_t row[32], m = strlen(b); /* as long as any name of a setting */
  for (size_t j = 0; j <= m; j++) row[j] = j;
  for (size_t i = 1; i <= n; i++) {
    size_t corner = row[0]++;
    for (size_t j = 1; j <= m; j++) {
      size_t least = corner + (a[i - 1] != b[j - 1]);
      corner = row[j];
      if (row[j] + 1 < least) least = row[j] + 1;
      if (row[j - 1] + 1 < least) least = row[j - 1] + 1;
      row[j] = least;
    }
  }
  return row[m];
}

static const char *nearest(const char *name, size_t length)
{
  const struct setting *best = settings;
  for (int i = 1; i < SETTINGS; i++)
    if (distance(name, length, settings[i].name) < distance(name, length, best->name)) best = &settings[i];
  return best->name;
}

typedef struct {
  const char *name, *value;
  size_t nname, nvalue;
} pair;

static int plain(pair *p) /* a whole number, true or false */
{
  const size_t sign = *p->value == '-' || *p->value == '+';
  if (p->nvalue == 4 && !memcmp(p->value, "true", 4)) return p->value = "1", p->nvalue = 1, 1;
  if (p->nvalue == 5 && !memcmp(p->value, "false", 5)) return p->value = "0", p->nvalue = 1, 1;
  return p->nvalue > sign && strspn(p->value + sign, "0123456789") >= p->nvalue - sign;
}

static int split(const char *at, pair *p) /* 1: a setting; 0: nothing, or a comment; -1: something else */
{
  const char blank[] = " \t\r\n", letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  at += strspn(at, blank);
  if (!*at || *at == '#') return 0;
  p->name = at, p->nname = strspn(at, letters);
  at += p->nname + strspn(at + p->nname, blank);
  if (!p->nname || *at++ != '=') return -1;
  at += strspn(at, blank);
  const int quoted = *at == '"' || *at == '\'';
  const char *end = quoted ? strchr(at + 1, *at) : at + strcspn(at, " \t\r\n#");
  if (!end || (*at == '"' && memchr(at, '\\', (size_t)(end - at)))) return -1; /* no escapes: '...' takes a backslash as it is */
  p->value = at + quoted, p->nvalue = (size_t)(end - at) - (size_t)quoted;
  end += quoted;
  end += strspn(end, blank);
  return (quoted || plain(p)) && (!*end || *end == '#') ? 1 : -1;
}

static int read_line(const char *line, int number)
{
  pair p;
  const int kind = split(line, &p);
  char where[WHERE];
  if (kind < 0)
    return error_text(PY2F_NOT_STARTED, "%s:%d: not understood: %.*s; write name = \"text\", a whole number, true or false", toml, number,
                      (int)strcspn(line, "\r\n"), line);
  if (!kind) return PY2F_OK;
  struct setting *s = setting_called(p.name, p.nname);
  if (!s)
    return error_text(PY2F_NOT_STARTED, "%s:%d: there is no setting '%.*s'; the nearest is '%s'", toml, number, (int)p.nname, p.name,
                      nearest(p.name, p.nname));
  if (s->filed) return error_text(PY2F_NOT_STARTED, "%s:%d: '%s' is set a second time, after line %d", toml, number, s->name, s->line);
  s->filed = strndup(p.value, p.nvalue), s->line = number;
  snprintf(where, sizeof where, "%s:%d: %s", toml, number, s->name);
  return allowed(s, s->filed ? s->filed : "", where);
}

static int unreadable(const char *why)
{
  return error_text(PY2F_NOT_STARTED, "%s cannot be read: %s", toml, why);
}

static int read_lines(FILE *file)
{
  char *line = NULL;
  size_t room = 0;
  int code = PY2F_OK, number = 0;
  while (code == PY2F_OK && getline(&line, &room, file) >= 0) {
    const int marked = !number++ && !strncmp(line, "\xef\xbb\xbf", 3); /* as some editors do with UTF-8 */
    code = read_line(line + 3 * marked, number);
  }
  free(line);
  return code == PY2F_OK && !feof(file) ? unreadable(strerror(errno)) : code;
}

static int is_stream(void) /* a pipe, a device: reading would wait, or never end */
{
  struct stat s;
  return !stat(toml, &s) && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

/* Read py2f.toml beside an executable; there need not be one. What was read before is forgotten. */
SHARED int py2f_settings_beside(const char *executable)
{
  const char *slash = strrchr(executable, '/');
  snprintf(toml, sizeof toml, "%.*spy2f.toml", slash ? (int)(slash + 1 - executable) : 0, executable);
  for (int i = 0; i < SETTINGS; i++) free(settings[i].filed), settings[i].filed = NULL;
  struct stat s;
  if (lstat(toml, &s) && (errno == ENOENT || errno == ENOTDIR)) return PY2F_OK; /* a link that leads nowhere is there */
  if (is_stream()) return unreadable("it is no regular file");
  FILE *file = fopen(toml, "re");
  if (!file) return unreadable(strerror(errno));
  int code = read_lines(file);
  fclose(file);
  return code;
}

/* ---- before the start */

SHARED int py2f_settings_check(void) /* whether everything that is said, wherever, may be said */
{
  char where[WHERE];
  int code = PY2F_OK;
  for (int i = 0; code == PY2F_OK && i < SETTINGS; i++) {
    const char *value = said_of(&settings[i], where);
    if (value) code = allowed(&settings[i], value, where);
  }
  return code;
}

static int settings_read(void) /* under the lock of the start; the file is read once */
{
  static int read;
  char executable[PATH_MAX];
  ssize_t n = read ? 0 : readlink("/proc/self/exe", executable, sizeof executable - 1); /* the file, not a link to it */
  if (n > 0) {
    executable[n] = 0;
    if (py2f_settings_beside(executable)) return PY2F_NOT_STARTED;
    read = 1;
  }
  return py2f_settings_check();
}

static int settings_heeded(const char *names, const char *executable) /* by the extension, which knows the ones in "|a|b|" */
{
  char word[40], where[WHERE];
  for (int i = 0; i < SETTINGS; i++) {
    snprintf(word, sizeof word, "|%s|", settings[i].name);
    if (said_of(&settings[i], where) && !strstr(names, word))
      return error_text(PY2F_NOT_STARTED, "%s is not known to py2f in the environment of %s, which is older: install py2f there again", where,
                        executable);
  }
  return PY2F_OK;
}

static int configure(const char *name, size_t length, char *value) /* takes the text */
{
  struct setting *s = setting_called(name, length);
  pthread_mutex_lock(&starting);
  int code = !s ? error_text(PY2F_BAD_ARGUMENT, "this libpy2f is older, it has no setting '%.*s': run py2f.export again", (int)length, name)
             : started ? error_text(PY2F_BAD_ARGUMENT, "%s comes too late: Python runs; call py2f_configure before the first call", s->name)
             : !value ? error_text(PY2F_BAD_ARGUMENT, "no memory for %s", s->name)
             : allowed(s, value, s->name);
  if (code) free(value);
  else free(s->configured), s->configured = value;
  pthread_mutex_unlock(&starting);
  return code ? PY2F_BAD_ARGUMENT : PY2F_OK;
}

SHARED int py2f_configure_text(const char *name, size_t nname, const char *text, size_t ntext)
{
  return configure(name, nname, strndup(text, ntext));
}

SHARED int py2f_configure_number(const char *name, size_t nname, int number)
{
  char text[16];
  snprintf(text, sizeof text, "%d", number);
  return configure(name, nname, strdup(text));
}
