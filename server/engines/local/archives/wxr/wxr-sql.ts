import { readWxr, textOf, type WxrNode } from './wxr-reader.ts'
import { insertOf, type SqlValue } from './sql-row.ts'
import { createTerms, type WxrTerms } from './wxr-terms.ts'

/** What a WXR file has. */
export interface WxrContent {
  readonly title: string | null
  readonly tagline: string
  /** Address of the site that it was exported from. */
  readonly from: string | null
  /** The first author, who becomes the administrator; null without authors. */
  readonly admin: { readonly login: string; readonly email: string; readonly name: string } | null
  readonly sticky: readonly number[]
  readonly posts: number
}

/** Tables that a new WordPress has rows in. */
const emptied = [
  'posts',
  'postmeta',
  'comments',
  'commentmeta',
  'terms',
  'termmeta',
  'term_taxonomy',
  'term_relationships',
]
/** The user that `install` makes. */
const adminId = 1
/** Sticky posts that are kept. */
const maxSticky = 1_000
/** Characters of the address of a media file. */
const maxAddress = 2_000
const noDate = '0000-00-00 00:00:00'

/** Types of media by ending: the export doesn't have them, and WordPress shows files by them. */
const mediaTypes: Readonly<Record<string, string>> = {
  ...{
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    png: 'image/png',
    gif: 'image/gif',
    webp: 'image/webp',
    avif: 'image/avif',
  },
  ...{ svg: 'image/svg+xml', pdf: 'application/pdf', mp4: 'video/mp4', webm: 'video/webm', mp3: 'audio/mpeg' },
}

/** State of a conversion. */
interface Conversion {
  readonly terms: WxrTerms
  readonly users: Map<string, number>
  /** Ids that were given so far. */
  readonly last: { post: number; user: number; meta: number; comment: number }
  readonly sticky: number[]
  title: string | null
  tagline: string
  from: string | null
  admin: WxrContent['admin']
  posts: number
}

/** Reads a WXR file to its end. Throws FileRefusal if it is none, or not whole. */
export async function inspectWxr(content: AsyncIterable<Buffer>): Promise<WxrContent> {
  const conversion = newConversion()
  for await (const node of readWxr(content)) convert(conversion, node)
  const { title, tagline, from, admin, sticky, posts } = conversion
  return { title, tagline, from, admin, sticky, posts }
}

/**
 * A dump of the rows that a WXR file stands for, for the database of a new WordPress. Posts, comments and terms keep their
 * ids, so that what refers to them (menus, featured images, galleries) still does.
 */
export async function* wxrToSql(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const conversion = newConversion()
  yield Buffer.from(emptied.map((table) => `TRUNCATE TABLE \`wp_${table}\`;\n`).join(''))
  for await (const node of readWxr(content)) {
    const rows = convert(conversion, node)
    if (rows.length > 0) yield Buffer.from(rows.join(''))
  }
  yield Buffer.from(conversion.terms.rest().join(''))
}

function newConversion(): Conversion {
  return {
    ...{
      terms: createTerms(),
      users: new Map(),
      sticky: [],
      title: null,
      tagline: '',
      from: null,
      admin: null,
      posts: 0,
    },
    last: { post: 0, user: adminId, meta: 0, comment: 0 },
  }
}

/** The rows of one element of the channel. */
function convert(conversion: Conversion, node: WxrNode): string[] {
  const text = node.text.trim()
  switch (node.name) {
    case 'title':
      conversion.title = text.slice(0, 200) || null
      return []
    case 'description':
      conversion.tagline = text.slice(0, 200)
      return []
    case 'link':
      conversion.from ??= addressOf(text)
      return []
    case 'wp:base_blog_url':
      conversion.from = addressOf(text) ?? conversion.from
      return []
    case 'wp:author':
      return userRows(conversion, node)
    case 'wp:category':
    case 'wp:tag':
    case 'wp:term':
      return conversion.terms.declare(node)
    case 'item':
      return itemRows(conversion, node)
    default:
      return []
  }
}

function addressOf(text: string, longest = 300): string | null {
  return /^https?:\/\//i.test(text) && text.length <= longest && URL.canParse(text)
    ? text.replace(/\/{1,20}$/, '')
    : null
}

function userRows(conversion: Conversion, node: WxrNode): string[] {
  const login = textOf(node, 'wp:author_login').trim().slice(0, 60)
  if (login === '' || conversion.users.has(login)) return []
  const email = textOf(node, 'wp:author_email').trim().slice(0, 100)
  const name = textOf(node, 'wp:author_display_name').trim().slice(0, 250) || login
  if (conversion.admin === null) {
    conversion.users.set(login, adminId)
    conversion.admin = { login, email, name }
    return []
  }
  conversion.last.user += 1
  const id = conversion.last.user
  conversion.users.set(login, id)
  const row = {
    ...{ ID: id, user_login: login, user_pass: '!', user_nicename: nicenameOf(login), user_email: email, user_url: '' },
    ...{ user_registered: noDate, user_activation_key: '', user_status: 0, display_name: name },
  }
  const meta = (key: string, value: string): string =>
    insertOf('usermeta', { user_id: id, meta_key: key, meta_value: value })
  return [
    insertOf('users', row),
    meta('wp_capabilities', 'a:1:{s:6:"author";b:1;}'),
    meta('wp_user_level', '2'),
    meta('first_name', textOf(node, 'wp:author_first_name').slice(0, 250)),
    meta('last_name', textOf(node, 'wp:author_last_name').slice(0, 250)),
  ]
}

function nicenameOf(login: string): string {
  return (
    login
      .toLowerCase()
      .replaceAll(/[^a-z0-9]{1,60}/g, '-')
      .slice(0, 50) || 'author'
  )
}

function itemRows(conversion: Conversion, item: WxrNode): string[] {
  const { last, terms, users, sticky } = conversion
  const id = idOf(textOf(item, 'wp:post_id')) ?? last.post + 1
  last.post = Math.max(last.post, id)
  conversion.posts += 1
  if (textOf(item, 'wp:is_sticky').trim() === '1' && sticky.length < maxSticky) sticky.push(id)
  const field = (name: string, length: number): string => textOf(item, name).slice(0, length)
  const type = field('wp:post_type', 20) || 'post'
  const date = dateOf(textOf(item, 'wp:post_date'))
  const utc = dateOf(textOf(item, 'wp:post_date_gmt'))
  const url = textOf(item, 'wp:attachment_url')
  const comments = item.children.filter(({ name }) => name === 'wp:comment')
  const post: Record<string, SqlValue> = {
    ...{
      ID: id,
      post_author: users.get(textOf(item, 'dc:creator').trim()) ?? adminId,
      post_date: date,
      post_date_gmt: utc,
    },
    ...{ post_content: textOf(item, 'content:encoded'), post_title: textOf(item, 'title') },
    ...{ post_excerpt: textOf(item, 'excerpt:encoded'), post_status: field('wp:status', 20) || 'publish' },
    ...{
      comment_status: field('wp:comment_status', 20) || 'closed',
      ping_status: field('wp:ping_status', 20) || 'closed',
    },
    ...{
      post_password: field('wp:post_password', 255),
      post_name: field('wp:post_name', 200),
      to_ping: '',
      pinged: '',
    },
    post_modified: dateOf(textOf(item, 'wp:post_modified'), date),
    post_modified_gmt: dateOf(textOf(item, 'wp:post_modified_gmt'), utc),
    ...{ post_content_filtered: '', post_parent: idOf(textOf(item, 'wp:post_parent')) ?? 0, guid: field('guid', 255) },
    ...{ menu_order: idOf(textOf(item, 'wp:menu_order')) ?? 0, post_type: type },
    post_mime_type:
      type === 'attachment' ? (mediaTypes[/\.(\w{2,5})(?:$|\?)/.exec(url)?.[1]?.toLowerCase() ?? ''] ?? '') : '',
    comment_count: comments.filter((one) => textOf(one, 'wp:comment_approved').trim() === '1').length,
  }
  const rows = [insertOf('posts', post)]
  for (const meta of item.children.filter(({ name }) => name === 'wp:postmeta')) {
    last.meta += 1
    rows.push(insertOf('postmeta', { meta_id: last.meta, post_id: id, ...metaOf(meta) }))
  }
  // For the script `media`; encoded, because addresses of the old site become those of the new one.
  const address = url.trim()
  if (type === 'attachment' && addressOf(address, maxAddress) !== null) {
    const encoded = Buffer.from(new URL(address).href).toString('base64')
    rows.push(insertOf('options', { option_name: `easydash_media_${id}`, option_value: encoded, autoload: 'no' }))
  }
  // Old exports don't have it; without it, nobody would notice that the file is missing.
  const [, file = ''] = /\/uploads\/([^?#]{1,1000})/.exec(url) ?? []
  if (file !== '' && !item.children.some((one) => textOf(one, 'wp:meta_key') === '_wp_attached_file')) {
    last.meta += 1
    rows.push(
      insertOf('postmeta', { meta_id: last.meta, post_id: id, meta_key: '_wp_attached_file', meta_value: file }),
    )
  }
  rows.push(...terms.relate(id, item))
  for (const comment of comments) rows.push(...commentRows(conversion, id, comment))
  return rows
}

function commentRows({ last, users }: Conversion, post: number, comment: WxrNode): string[] {
  const id = idOf(textOf(comment, 'wp:comment_id')) ?? last.comment + 1
  last.comment = Math.max(last.comment, id)
  const field = (name: string, length: number): string => textOf(comment, `wp:comment_${name}`).slice(0, length)
  const rows = [
    insertOf('comments', {
      ...{ comment_ID: id, comment_post_ID: post, comment_author: field('author', 250) },
      ...{ comment_author_email: field('author_email', 100), comment_author_url: field('author_url', 200) },
      ...{ comment_author_IP: field('author_IP', 100), comment_date: dateOf(field('date', 19)) },
      ...{
        comment_date_gmt: dateOf(field('date_gmt', 19)),
        comment_content: field('content', 65_535),
        comment_karma: 0,
      },
      ...{
        comment_approved: field('approved', 20) || '0',
        comment_agent: '',
        comment_type: field('type', 20) || 'comment',
      },
      // Ids of users are those of the other site; who has an author's name is that author.
      ...{ comment_parent: idOf(field('parent', 20)) ?? 0, user_id: users.get(field('author', 60)) ?? 0 },
    }),
  ]
  for (const meta of comment.children.filter(({ name }) => name === 'wp:commentmeta')) {
    last.meta += 1
    rows.push(insertOf('commentmeta', { meta_id: last.meta, comment_id: id, ...metaOf(meta) }))
  }
  return rows
}

function metaOf(node: WxrNode): { meta_key: string; meta_value: string } {
  return { meta_key: textOf(node, 'wp:meta_key').slice(0, 255), meta_value: textOf(node, 'wp:meta_value') }
}

/** A positive number; null for anything else. */
function idOf(text: string): number | null {
  const digits = text.trim()
  return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : null
}

function dateOf(text: string, other = noDate): string {
  const date = text.trim()
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(date) ? date : other
}
