/* swap.c - see swap.h. Each connection has a VFS of its own over SQLite's, by which its file is
 * opened under a name that never changes. SQLite notices that the file is another one in the way in
 * which it notices that a file has changed: by the counter of changes in the file's header. While
 * SQLite reads that counter, some bits of it are inverted here, in each file different ones. */
#include "db/swap.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sqlite_path.h"
#include "db/format.h"
#include "db/image.h"
#include "db/locks.h"
#include "db/scan.h"

enum { KEPT_MOST = 64 };

static const char shown_name[] = "/crocprof-db"; /* the name of any file */

/* A file, opened by SQLite's own VFS. */
typedef struct {
    sqlite3_filename name;
    sqlite3_file *file;
    bool locks; /* files of its file system can be locked */
} opened_t;

struct db_swap {
    sqlite3_vfs vfs;
    char vfs_name[48];
    opened_t opened;
    db_image_t image;             /* image of the first file */
    char guid[DB_GUID_BYTES + 1]; /* guid of the present file */
    uint32_t mask;                /* the bits that are inverted */
    uint32_t seen;                /* the counter of changes that SQLite has read last */
    bool spoilt;
    sqlite3 *handle;
    struct db_places *places;
    struct db_statements *statements;
    db_swap_t *next; /* next in the list of kept connections */
};

/* SQLite's handle of the file. */
typedef struct {
    sqlite3_file base;
    db_swap_t *swap;
} shim_t;

/* Connections that are kept; any thread may take one of them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static db_swap_t *kept;
static unsigned kept_count, made;

/* ---- a file ---- */

static void close_file(opened_t *o)
{
    if (o->file && o->file->pMethods) o->file->pMethods->xClose(o->file);
    sqlite3_free(o->file);
    if (o->name) sqlite3_free_filename(o->name);
    *o = (opened_t){0};
}

static bool open_file(opened_t *o, const char *path)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    char *whole = vfs ? base_sqlite_whole(path, vfs->mxPathname + 1) : NULL;
    *o = (opened_t){.locks = db_has_locks(path),
                    .name = whole ? sqlite3_create_filename(whole, "", "", 0, NULL) : NULL,
                    .file = vfs ? sqlite3_malloc(vfs->szOsFile) : NULL};
    sqlite3_free(whole);
    if (o->file) memset(o->file, 0, (size_t)vfs->szOsFile);
    if (o->name && o->file &&
        vfs->xOpen(vfs, o->name, o->file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, NULL) ==
            SQLITE_OK)
        return true;
    close_file(o);
    return false;
}

/* Returns whether another program may have left the file half changed; SQLite handles that. */
static bool has_journal(const opened_t *o)
{
    int there = 1;
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    char *path = sqlite3_mprintf("%s-journal", o->name);
    if (path && vfs->xAccess(vfs, path, SQLITE_ACCESS_EXISTS, &there) != SQLITE_OK) there = 1;
    sqlite3_free(path);
    return there;
}

/* Makes the image of the file while no other program can change it. */
static bool read_image(const opened_t *o, db_image_t *image)
{
    const sqlite3_io_methods *m = o->file->pMethods;
    if (o->locks && m->xLock(o->file, SQLITE_LOCK_SHARED) != SQLITE_OK) return false;
    const bool read = !has_journal(o) && db_image_read(image, o->file);
    if (o->locks) m->xUnlock(o->file, SQLITE_LOCK_NONE);
    return read;
}

/* ---- the file as SQLite sees it ---- */

static sqlite3_file *file_of(sqlite3_file *f)
{
    return ((shim_t *)f)->swap->opened.file;
}

static const sqlite3_io_methods *methods_of(sqlite3_file *f)
{
    return file_of(f)->pMethods;
}

static int shim_close(sqlite3_file *f)
{
    close_file(&((shim_t *)f)->swap->opened);
    return SQLITE_OK;
}

/* Offsets in the header of the counter of changes, and of the copy of it for which the size in the
 * header is valid. */
enum { CHANGES = 24, VALID_FOR = 92 };

static void change_counter(const db_swap_t *s, unsigned char *counter)
{
    for (int i = 0; i < 4; i++)
        counter[i] ^= (unsigned char)(s->mask >> (24 - 8 * i));
}

static bool has_counter(int at, int count, sqlite3_int64 from)
{
    return at >= from && at + 4 <= from + count;
}

static int shim_read(sqlite3_file *f, void *to, int count, sqlite3_int64 from)
{
    db_swap_t *s = ((shim_t *)f)->swap;
    unsigned char *bytes = to;
    if (!file_of(f)) return SQLITE_IOERR_READ;
    const int status = methods_of(f)->xRead(file_of(f), to, count, from);
    if (status != SQLITE_OK || from > VALID_FOR) return status;
    if (has_counter(VALID_FOR, count, from)) change_counter(s, bytes + (VALID_FOR - from));
    if (!has_counter(CHANGES, count, from)) return status;
    change_counter(s, bytes + (CHANGES - from));
    s->seen = db_get4(bytes + (CHANGES - from));
    return status;
}

/* Chooses other bits than for the file before, so that the counter differs from the one which
 * SQLite has read. */
static void choose_mask(db_swap_t *s)
{
    unsigned char counter[4] = {0};
    sqlite3_file *file = s->opened.file;
    /* if this fails, SQLite's own read fails, too, and reports it */
    (void)file->pMethods->xRead(file, counter, sizeof(counter), CHANGES);
    do
        s->mask += UINT32_C(1) << 24;
    while ((db_get4(counter) ^ s->mask) == s->seen);
}

static int shim_write(sqlite3_file *f, const void *from, int count, sqlite3_int64 to)
{
    (void)f, (void)from, (void)count, (void)to;
    return SQLITE_READONLY;
}

static int shim_truncate(sqlite3_file *f, sqlite3_int64 bytes)
{
    (void)f, (void)bytes;
    return SQLITE_READONLY;
}

static int shim_sync(sqlite3_file *f, int flags)
{
    (void)f, (void)flags;
    return SQLITE_OK;
}

static int shim_size(sqlite3_file *f, sqlite3_int64 *bytes)
{
    return file_of(f) ? methods_of(f)->xFileSize(file_of(f), bytes) : SQLITE_IOERR_FSTAT;
}

/* Returns whether the file's file system has no locks: then none are taken (locks.h). */
static bool lacks_locks(sqlite3_file *f)
{
    return file_of(f) && !((shim_t *)f)->swap->opened.locks;
}

static int shim_lock(sqlite3_file *f, int kind)
{
    if (lacks_locks(f)) return SQLITE_OK;
    return file_of(f) ? methods_of(f)->xLock(file_of(f), kind) : SQLITE_IOERR_LOCK;
}

static int shim_unlock(sqlite3_file *f, int kind)
{
    return file_of(f) && !lacks_locks(f) ? methods_of(f)->xUnlock(file_of(f), kind) : SQLITE_OK;
}

static int shim_check_lock(sqlite3_file *f, int *locked)
{
    *locked = 0;
    if (lacks_locks(f)) return SQLITE_OK;
    return file_of(f) ? methods_of(f)->xCheckReservedLock(file_of(f), locked)
                      : SQLITE_IOERR_CHECKRESERVEDLOCK;
}

static int shim_control(sqlite3_file *f, int what, void *data)
{
    return file_of(f) ? methods_of(f)->xFileControl(file_of(f), what, data) : SQLITE_NOTFOUND;
}

static int shim_sector(sqlite3_file *f)
{
    return file_of(f) ? methods_of(f)->xSectorSize(file_of(f)) : 0;
}

static int shim_traits(sqlite3_file *f)
{
    return file_of(f) ? methods_of(f)->xDeviceCharacteristics(file_of(f)) : 0;
}

/* Version 1 has no shared memory: so a file that has got a write-ahead log since its image was made
 * is refused. */
static const sqlite3_io_methods shim_methods = {.iVersion = 1,
                                                .xClose = shim_close,
                                                .xRead = shim_read,
                                                .xWrite = shim_write,
                                                .xTruncate = shim_truncate,
                                                .xSync = shim_sync,
                                                .xFileSize = shim_size,
                                                .xLock = shim_lock,
                                                .xUnlock = shim_unlock,
                                                .xCheckReservedLock = shim_check_lock,
                                                .xFileControl = shim_control,
                                                .xSectorSize = shim_sector,
                                                .xDeviceCharacteristics = shim_traits};

/* Returns the path of the present file, or of one beside it; to be freed with sqlite3_free(). */
static char *real_name(const db_swap_t *s, const char *name)
{
    const size_t length = sizeof(shown_name) - 1;
    const bool shown = name && strncmp(name, shown_name, length) == 0 && s->opened.name;
    return sqlite3_mprintf("%s%s",
                           shown  ? s->opened.name
                           : name ? name
                                  : "",
                           shown ? name + length : "");
}

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *f, int flags, int *got)
{
    db_swap_t *s = vfs->pAppData;
    f->pMethods = NULL;
    /* for reading a database, SQLite needs no journal beside it and no temporary file */
    if (!(flags & SQLITE_OPEN_MAIN_DB) || !s->opened.file || !name) return SQLITE_CANTOPEN;
    *(shim_t *)f = (shim_t){.base.pMethods = &shim_methods, .swap = s};
    if (got) *got = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs, (void)name, (void)sync;
    return SQLITE_READONLY;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result)
{
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);
    char *path = real_name(vfs->pAppData, name);
    const int status = path ? real->xAccess(real, path, flags, result) : SQLITE_NOMEM;
    sqlite3_free(path);
    return status;
}

static int vfs_full_name(sqlite3_vfs *vfs, const char *name, int room, char *to)
{
    (void)vfs;
    return (size_t)snprintf(to, (size_t)room, "%s", name) < (size_t)room ? SQLITE_OK
                                                                         : SQLITE_CANTOPEN;
}

/* Makes the VFS of a connection. */
static bool begin_vfs(db_swap_t *s, unsigned number)
{
    const sqlite3_vfs *real = sqlite3_vfs_find(NULL);
    snprintf(s->vfs_name, sizeof(s->vfs_name), "crocprof-%u", number);
    s->vfs = *real;
    s->vfs.pNext = NULL;
    s->vfs.zName = s->vfs_name;
    s->vfs.pAppData = s;
    s->vfs.szOsFile = (int)sizeof(shim_t);
    s->vfs.xOpen = vfs_open;
    s->vfs.xDelete = vfs_delete;
    s->vfs.xAccess = vfs_access;
    s->vfs.xFullPathname = vfs_full_name;
    return sqlite3_vfs_register(&s->vfs, 0) == SQLITE_OK;
}

/* ---- connections ---- */

/* Takes a kept connection whose first file has the same schema. */
static db_swap_t *take(const db_image_t *image)
{
    pthread_mutex_lock(&lock);
    db_swap_t **at = &kept;
    while (*at && !db_image_same(&(*at)->image, image))
        at = &(*at)->next;
    db_swap_t *s = *at;
    if (s) {
        *at = s->next;
        kept_count--;
    }
    pthread_mutex_unlock(&lock);
    return s;
}

static db_swap_t *begin_new(const db_image_t *image)
{
    db_swap_t *s = calloc(1, sizeof(*s));
    if (!s) return NULL;
    s->image = *image;
    pthread_mutex_lock(&lock);
    const unsigned number = ++made;
    pthread_mutex_unlock(&lock);
    if (begin_vfs(s, number)) return s;
    free(s);
    return NULL;
}

db_swap_t *db_swap_begin(const char *path)
{
    opened_t opened;
    db_image_t image;
    if (!open_file(&opened, path)) return NULL;
    if (!read_image(&opened, &image)) {
        close_file(&opened);
        return NULL;
    }
    db_swap_t *s = take(&image), *new = s ? NULL : begin_new(&image);
    if (s || new) memcpy((s ? s : new)->guid, image.guid, sizeof(image.guid));
    if (!new) db_image_free(&image);
    if (!s) s = new;
    if (!s) {
        close_file(&opened);
        return NULL;
    }
    s->opened = opened;
    choose_mask(s);
    return s;
}

sqlite3 *db_swap_handle(const db_swap_t *s)
{
    return s->handle;
}

char *db_swap_uri(const db_swap_t *s)
{
    return sqlite3_mprintf("file:%s?mode=ro&vfs=%s", shown_name, s->vfs_name);
}

bool db_swap_keep(db_swap_t *s, sqlite3 *handle)
{
    /* if the schema has changed, the schema that SQLite has parsed is not that of the image */
    if (s->spoilt || !db_image_lasts(&s->image, s->opened.file)) return false;
    pthread_mutex_lock(&lock);
    const bool room = kept_count < KEPT_MOST;
    if (room) {
        s->handle = handle;
        close_file(&s->opened);
        s->next = kept;
        kept = s;
        kept_count++;
    }
    pthread_mutex_unlock(&lock);
    return room;
}

void db_swap_end(db_swap_t *s)
{
    if (!s) return;
    sqlite3_vfs_unregister(&s->vfs);
    close_file(&s->opened);
    db_image_free(&s->image);
    db_scan_forget(s->places);
    free(s);
}

void db_swap_spoil(db_swap_t *s)
{
    if (s) s->spoilt = true;
}

void db_swap_rename(const db_swap_t *s, char *table)
{
    const size_t length = strlen(table);
    if (!s || length < DB_GUID_BYTES) return;
    char *guid = table + length - DB_GUID_BYTES;
    if (strcmp(guid, s->guid) == 0) memcpy(guid, s->image.guid, DB_GUID_BYTES);
}

struct db_places **db_swap_places(db_swap_t *s)
{
    return s ? &s->places : NULL;
}

struct db_statements **db_swap_statements(db_swap_t *s)
{
    return s ? &s->statements : NULL;
}
