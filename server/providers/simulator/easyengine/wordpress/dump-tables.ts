/**
 * The tables of a WordPress by their names without the prefix: columns as `name type`, where `id` is the number of a row, `n` another number,
 * `v60` a text of at most 60 characters and `m60` one that can be missing; then what its keys are, first the primary one.
 */
const tables: Readonly<Record<string, readonly [columns: string, ...keys: readonly string[]]>> = {
  commentmeta: ['meta_id id, comment_id n, meta_key m255, meta_value longtext', 'meta_id', 'comment_id'],
  comments: [
    'comment_ID id, comment_post_ID n, comment_author tinytext, comment_author_email v100, comment_author_url v200, comment_author_IP v100, comment_date datetime, comment_date_gmt datetime, comment_content text, comment_karma int, comment_approved v20, comment_agent v255, comment_type v20, comment_parent n, user_id n',
    'comment_ID',
    'comment_post_ID',
    'comment_approved,comment_date_gmt',
    'comment_parent',
  ],
  links: [
    'link_id id, link_url v255, link_name v255, link_image v255, link_target v25, link_description v255, link_visible v20, link_owner n, link_rating int, link_updated datetime, link_rel v255, link_notes mediumtext, link_rss v255',
    'link_id',
    'link_visible',
  ],
  options: [
    'option_id id, option_name v191, option_value longtext, autoload v20',
    'option_id',
    'option_name!',
    'autoload',
  ],
  postmeta: ['meta_id id, post_id n, meta_key m255, meta_value longtext', 'meta_id', 'post_id'],
  posts: [
    'ID id, post_author n, post_date datetime, post_date_gmt datetime, post_content longtext, post_title text, post_excerpt text, post_status v20, comment_status v20, ping_status v20, post_password v255, post_name v200, to_ping text, pinged text, post_modified datetime, post_modified_gmt datetime, post_content_filtered longtext, post_parent n, guid v255, menu_order int, post_type v20, post_mime_type v100, comment_count n',
    'ID',
    'type_status_date=post_type,post_status,post_date,ID',
    'post_parent',
    'post_author',
  ],
  term_relationships: ['object_id n, term_taxonomy_id n, term_order int', 'object_id,term_taxonomy_id'],
  term_taxonomy: [
    'term_taxonomy_id id, term_id n, taxonomy v32, description longtext, parent n, count n',
    'term_taxonomy_id',
    'term_id_taxonomy=term_id,taxonomy!',
    'taxonomy',
  ],
  termmeta: ['meta_id id, term_id n, meta_key m255, meta_value longtext', 'meta_id', 'term_id'],
  terms: ['term_id id, name v200, slug v200, term_group n', 'term_id', 'slug'],
  usermeta: ['umeta_id id, user_id n, meta_key m255, meta_value longtext', 'umeta_id', 'user_id'],
  users: [
    'ID id, user_login v60, user_pass v255, user_nicename v50, user_email v100, user_url v100, user_registered datetime, user_activation_key v255, user_status int, display_name v250',
    'ID',
    'user_login',
    'user_nicename',
    'user_email',
  ],
}

/** Those that a network has besides, or with more columns. */
const networkTables: typeof tables = {
  blogs: [
    'blog_id id, site_id n, domain v200, path v100, registered datetime, last_updated datetime, public int, archived int, mature int, spam int, deleted int, lang_id int',
    'blog_id',
    'domain=domain,path',
    'lang_id',
  ],
  blogmeta: ['meta_id id, blog_id n, meta_key m255, meta_value longtext', 'meta_id', 'meta_key', 'blog_id'],
  registration_log: ['ID id, email v255, IP v30, blog_id n, date_registered datetime', 'ID', 'IP'],
  signups: [
    'signup_id id, domain v200, path v100, title longtext, user_login v60, user_email v100, registered datetime, activated datetime, active int, activation_key v50, meta longtext',
    'signup_id',
    'activation_key',
  ],
  site: ['id id, domain v200, path v100', 'id', 'domain=domain,path'],
  users: [
    'ID id, user_login v60, user_pass v255, user_nicename v50, user_email v100, user_url v100, user_registered datetime, user_activation_key v255, user_status int, display_name v250, spam int, deleted int',
    'ID',
    'user_login',
    'user_nicename',
    'user_email',
  ],
  sitemeta: ['meta_id id, site_id n, meta_key m255, meta_value longtext', 'meta_id', 'meta_key', 'site_id'],
}

const typeOf = (type: string): string => {
  const length = type.slice(1)
  if (/^v\d/.test(type)) return `varchar(${length}) NOT NULL DEFAULT ''`
  if (/^m\d/.test(type)) return `varchar(${length}) DEFAULT NULL`
  const whole: Readonly<Record<string, string>> = {
    id: 'bigint(20) unsigned NOT NULL AUTO_INCREMENT',
    n: "bigint(20) unsigned NOT NULL DEFAULT '0'",
    int: "int(11) NOT NULL DEFAULT '0'",
    datetime: "datetime NOT NULL DEFAULT '0000-00-00 00:00:00'",
  }
  return whole[type] ?? `${type} NOT NULL`
}

/** Rows of a table by the names of its columns; what a row leaves out has its default. */
export type DumpRows = Readonly<Record<string, readonly Readonly<Record<string, string | number>>[]>>

const quoted = (name: string): string => `\`${name}\``
const literal = (value: string | number): string =>
  typeof value === 'number'
    ? String(value)
    : `'${value.replaceAll(/[\\']/g, (one) => `\\${one}`).replaceAll('\n', '\\n')}'`

/** What MariaDB's `mysqldump` writes of these tables, by their names. */
export const tableTexts = (prefix: string, rows: DumpRows, isNetwork: boolean): Map<string, string> =>
  new Map(
    Object.entries({ ...tables, ...(isNetwork ? networkTables : {}) }).map(
      ([name, [columns, primary = '', ...keys]]) => {
        const table = quoted(`${prefix}${name}`)
        const parts = columns.split(', ').map((column) => column.split(' ') as [name: string, type: string])
        const key = (word: string) => {
          const [first = '', listed = first] = word.replace('!', '').split('=')
          const list = listed.split(',').map((one) => quoted(one))
          return `  ${word.endsWith('!') ? 'UNIQUE KEY' : 'KEY'} ${quoted(first.split(',')[0] ?? '')} (${list.join()})`
        }
        const lines = [
          ...parts.map(([column, type]) => `  ${quoted(column)} ${typeOf(type)}`),
          `  PRIMARY KEY (${primary
            .split(',')
            .map((one) => quoted(one))
            .join()})`,
          ...keys.map((one) => key(one)),
        ]
        const usual = (type: string, at: number) => (type === 'id' ? at + 1 : type === 'n' || type === 'int' ? 0 : '')
        const values = (rows[name] ?? []).map(
          (row, at) => `(${parts.map(([column, type]) => literal(row[column] ?? usual(type, at))).join()})`,
        )
        const text = [
          `CREATE TABLE ${table} (\n${lines.join(',\n')}\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;`,
          ...(values.length === 0 ? [] : [`INSERT INTO ${table} VALUES\n${values.join(',\n')};`]),
        ]
        return [`${prefix}${name}`, text.join('\n')]
      },
    ),
  )
