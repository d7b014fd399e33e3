import { isObject, parseJson } from '#shared/parse-json.ts'
import { msg } from '#shared/localized-message.ts'
import { isDuplicatorDump } from '#shared/rules/archive-formats.ts'
import { FileRefusal } from '#server/platform/tree-files/refusal.ts'
import type { UnpackMember } from '#server/platform/tree-files/unpack-members.ts'
import { gunzipped, smallContentOf } from './member-content.ts'
import { noFacts, type SiteArchive } from './site-archive.ts'
import { versionOf } from './wpress.ts'

/*
 * Archives of Duplicator, as ZIP or in its own format (`dup-archive.ts`): the folder of WordPress, and the folder `dup-installer` with the dump of the database
 * (`dup-database__HASH.sql`, since 4.5 `dup_descriptors_HASH/db_dumps/TIME-dump.sql.gz`) and a description of the site in JSON
 * (`dup-archive__HASH.txt` or `dup_descriptors_HASH/archive.txt`). Facts from `classes/package/class.pack.archive.zip.php` and
 * `src/Installer/Core/Descriptors` of the plugin (https://wordpress.org/plugins/duplicator/).
 */
const description = /^dup-installer\/(?:dup-archive__[^/]{1,200}\.txt|dup_descriptors_[^/]{1,200}\/archive\.txt)$/
/** Bytes of the description that are read. */
const maxDescriptionBytes = 16 * 1_048_576

/** Recognizes the members of an archive of Duplicator; null if it is none. */
export async function readDuplicator(members: readonly UnpackMember[]): Promise<SiteArchive | null> {
  const dumps = members.filter(({ path, isFolder }) => !isFolder && isDuplicatorDump(path))
  const [dump] = dumps
  if (dump === undefined) return null
  if (dumps.length > 1) {
    throw new FileRefusal(
      'invalid',
      msg`There are several databases in this archive of Duplicator.`,
      msg`Create a backup that has no other backups in it, and import that.`,
    )
  }
  const isPacked = dump.path.endsWith('.gz')
  const path = isPacked ? dump.path.slice(0, -3) : dump.path
  const all: UnpackMember[] = isPacked
    ? members.map((one) => (one === dump ? gunzipped(one, path) : one))
    : [...members]
  const described = members.find(({ path: name, isFolder }) => !isFolder && description.test(name))
  const text = described === undefined ? null : await smallContentOf(described, maxDescriptionBytes)
  const about = text === null ? null : parseJson(text.toString('utf8'))
  const said = isObject(about) ? about : {}
  const prefix = said['wp_tableprefix']
  const title = said['blogname']
  return {
    source: 'duplicator',
    members: all,
    facts: {
      ...noFacts,
      dump: path,
      prefix: typeof prefix === 'string' && /^\w{1,40}$/.test(prefix) ? prefix : null,
      isNetwork: typeof said['mu_mode'] === 'number' && said['mu_mode'] > 0,
      phpVersion: versionOf(said['version_php']),
      title: typeof title === 'string' && title !== '' ? title.slice(0, 200) : null,
    },
  }
}
