import { data, datetime, float, int, json } from '../../fields.ts'
import { sharedGrants } from './grants.ts'

const measured = { read_only: true, server_owned: true } as const

/** What exports and imports leave at a site. */
export const portableFields = {
  /** Bytes of the archive that can be downloaded; null if there is none. */
  export_bytes: float({ ...measured, label: 'Export' }),
  /** Until when. */
  export_expires: datetime({ ...measured, label: 'Export available until' }),
  /** Name of the file it was imported from; null for other sites. */
  import_file: data({ ...measured, length: 255, label: 'Imported from' }),
  /** Number of defects that the import found; null for other sites, and once the report is closed. */
  import_defects: int({ ...measured, label: 'Defects of the import' }),
  /** On insert: the upload (of the kind `site-import`) that the site is made of, by its id or its address. */
  import_upload: data({ set_only_once: true, length: 400 }),
  /** The archive that it was made of. */
  import_archive: data({ server_owned: true, hidden: true, length: 32 }),
  import_report: json<Record<string, unknown>>({ server_owned: true, hidden: true }),
} as const

/** An export has the whole content of the site, with its users. */
const onExport = { allow: sharedGrants('write'), while_locked: true, hidden: true } as const

/** Exports of a site, and the report about its import. */
export const portableActions = {
  export_site: {
    label: 'Export',
    keywords: ['Download', 'Move', 'Backup', 'ZIP'],
    activity: 'exported the site',
    allow: sharedGrants('write'),
    from: ['Live'],
    capability: 'export',
    confirm:
      'Files and database are packed into a ZIP archive, which can be downloaded for a day. Visitors notice nothing.',
    job: true,
  },
  download_export: {
    ...onExport,
    label: 'Download the export',
    activity: 'downloaded the export of the site',
    tokens: 'sites:write',
    returns: 'Download',
  },
  delete_export: {
    ...onExport,
    label: 'Delete the export',
    activity: 'deleted the export of the site',
    returns: 'Nothing',
  },
  read_import_report: {
    ...onExport,
    label: 'Show the report of the import',
    reads: true,
    tokens: 'sites:write',
    returns: 'ImportReport',
  },
  close_import_report: {
    ...onExport,
    label: 'Close the report of the import',
    activity: 'closed the report of the import',
    returns: 'Nothing',
  },
} as const
