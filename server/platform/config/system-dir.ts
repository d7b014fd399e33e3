/** Where an installation started as root keeps files that its own accounts must access and that installations share. */
export const SYSTEM_DIR = '/var/lib/easydash'
