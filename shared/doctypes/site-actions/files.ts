import { check, data, int, json, longText, text } from '../../fields.ts'
import { siteFileLimits } from '../../rules/site-files.ts'
import { sharedGrants } from './grants.ts'

const path = (label: string, description?: string) =>
  text({
    reqd: true,
    length: siteFileLimits.path,
    label,
    ...(description === undefined ? {} : { description }),
  })
const folder = text({
  length: siteFileLimits.path,
  label: 'Folder',
  description: 'Path with slashes, relative to the folder that the site serves. Default: that folder.',
})
const paths = json<string[]>({ reqd: true, is_list: 'texts', max_bytes: 65_536, label: 'Files and folders' })

/** Files hold secrets, so seeing them takes what changing the site takes. */
const reading = {
  allow: sharedGrants('write'),
  reads: true,
  tokens: 'sites:write',
  capability: 'files',
  while_locked: true,
  hidden: true,
} as const

const changing = {
  allow: sharedGrants('write'),
  from: ['Live', 'Failed', 'Suspended'],
  capability: 'files',
  hidden: true,
} as const

/** The file manager. */
export const fileActions = {
  files_folder: {
    label: 'Show the folder of its files',
    allow: sharedGrants('write'),
    for: ['site_type', '!=', 'wp'],
    reads: true,
    tokens: 'sites:write',
    returns: 'FilesFolder',
    hidden: true,
  },
  list_files: {
    ...reading,
    label: 'List files',
    args: { folder, start: int({ min: 0, label: 'From', description: '`next` of the part before.' }) },
    returns: 'FileListing',
  },
  read_file: { ...reading, label: 'Open a file', args: { path: path('File') }, returns: 'FileText' },
  list_trash: { ...reading, label: 'List deleted files', returns: 'FileTrash' },
  download_files: {
    allow: sharedGrants('write'),
    tokens: 'sites:write',
    capability: 'files',
    while_locked: true,
    hidden: true,
    label: 'Download files',
    activity: 'downloaded files of the site:',
    args: { paths, zip: check({ label: 'As ZIP', description: 'Also a single file.' }) },
    returns: 'Download',
  },
  write_file: {
    ...changing,
    label: 'Save a file',
    activity: 'edited a file of the site:',
    args: {
      path: path('File'),
      content: longText({ length: siteFileLimits.text, label: 'Content' }),
      version: data({ label: 'Version', description: 'Of the content it replaces; empty: a new file.' }),
    },
    returns: 'FileWritten',
  },
  create_folder: {
    ...changing,
    label: 'Create a folder',
    activity: 'created a folder of the site:',
    args: { path: path('Folder') },
    returns: 'Nothing',
  },
  move_files: {
    ...changing,
    label: 'Move files',
    activity: 'moved files of the site:',
    args: { paths, folder },
    returns: 'Nothing',
  },
  rename_file: {
    ...changing,
    label: 'Rename a file',
    activity: 'renamed a file of the site:',
    args: { path: path('File or folder'), to: path('New path') },
    returns: 'Nothing',
  },
  copy_file: {
    ...changing,
    label: 'Copy a file',
    activity: 'copied a file of the site:',
    args: { path: path('File or folder'), to: path('Path of the copy') },
    returns: 'Nothing',
  },
  delete_files: {
    ...changing,
    label: 'Delete files',
    activity: 'deleted files of the site:',
    args: { paths },
    returns: 'FilesDeleted',
  },
  restore_files: {
    ...changing,
    label: 'Restore deleted files',
    activity: 'restored deleted files of the site',
    args: { trash: data({ reqd: true, length: 40, label: 'Deleted files' }) },
    returns: 'FilesRestored',
  },
  empty_trash: {
    ...changing,
    label: 'Empty the trash',
    activity: 'emptied the trash of the site',
    returns: 'Nothing',
  },
  put_file: {
    ...changing,
    label: 'Place an uploaded file',
    activity: 'uploaded a file of the site:',
    args: {
      upload: data({ reqd: true, length: 32, label: 'Upload', description: 'A complete one of the kind `site_file`.' }),
      path: path('File'),
      replace: check({ label: 'Replace an existing file' }),
    },
    returns: 'FileTaken',
  },
  zip_files: {
    allow: sharedGrants('write'),
    from: ['Live'],
    capability: 'files',
    hidden: true,
    label: 'Compress files to a ZIP archive',
    activity: 'compressed files of the site to an archive:',
    args: { paths, to: path('Path of the archive') },
    job: true,
  },
  unzip_file: {
    allow: sharedGrants('write'),
    from: ['Live'],
    capability: 'files',
    hidden: true,
    label: 'Extract a ZIP archive',
    activity: 'extracted an archive of the site:',
    args: { path: path('Archive'), folder, replace: check({ label: 'Replace existing files' }) },
    job: true,
  },
} as const
