import type { MysqlServerProgram } from './find-mysql.ts'

/**
 * Session variables that cost memory or disk space, with the most a site can give them: `--maximum-NAME` is known to both
 * products (dev.mysql.com/doc/refman/8.0/en/option-modifiers.html), and needed because a session can change its own.
 */
const most: Readonly<Record<string, string>> = {
  'sort-buffer-size': '4M',
  'join-buffer-size': '4M',
  'read-buffer-size': '2M',
  'read-rnd-buffer-size': '4M',
  'tmp-table-size': '32M',
  'max-heap-table-size': '32M',
  'group-concat-max-len': '4M',
  'lock-wait-timeout': '60',
  'innodb-lock-wait-timeout': '60',
  'wait-timeout': '600',
  'interactive-timeout': '600',
  'net-read-timeout': '60',
  'net-write-timeout': '120',
}

/** What a site can have of a server: memory, disk space and time of its statements. */
export function limitArguments({ product }: Pick<MysqlServerProgram, 'product'>): readonly string[] {
  const both = [
    ...Object.entries(most).map(([name, value]) => `--maximum-${name}=${value}`),
    '--tmp-table-size=16M',
    '--max-heap-table-size=16M',
    '--lock-wait-timeout=50',
    '--wait-timeout=600',
    '--interactive-timeout=600',
    '--connect-timeout=5',
    '--max-allowed-packet=64M',
    // Temporary tables of all sessions; by default the file grows without end.
    '--innodb-temp-data-file-path=ibtmp1:12M:autoextend:max:1G',
    // A table of another engine becomes one of InnoDB (or is refused, by a site that wants that): MEMORY's take memory until
    // the server ends, and those of MyISAM are neither in one state in a dump nor safe in a crash.
    '--default-storage-engine=InnoDB',
    '--default-tmp-storage-engine=InnoDB',
  ]
  // "loose": newer versions know it, older ones start without it.
  return product === 'MariaDB'
    ? [
        ...both,
        '--sql-mode=STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER',
        '--enforce-storage-engine=InnoDB',
        // Has no maximum that the server accepts: `endOverlong` ends what runs longer.
        '--max-statement-time=120',
        '--tmp-disk-table-size=1G',
        '--maximum-tmp-disk-table-size=1G',
        '--max-session-mem-used=256M',
        '--maximum-max-session-mem-used=256M',
        '--loose-max-tmp-session-space-usage=1G',
        '--loose-max-tmp-total-space-usage=4G',
      ]
    : [
        ...both,
        '--sql-mode=STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO',
        '--disabled-storage-engines=MyISAM,MEMORY,ARCHIVE,CSV,BLACKHOLE,MRG_MYISAM,FEDERATED',
        '--loose-temptable-max-ram=64M',
        '--loose-temptable-max-mmap=0',
        '--loose-connection-memory-limit=256M',
        '--loose-global-connection-memory-tracking=ON',
      ]
}
