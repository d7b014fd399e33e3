/** How EasyEngine names its backups: seconds since 1970, and the same as a date of the server. It is the last part of where a backup is kept. */
export const easyengineBackupId = /^(\d{9,11})_\d{4}(?:-\d\d){5}$/
