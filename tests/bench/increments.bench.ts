/**
 * Daily backups of a WordPress site of which 2 % changes a day, as what 30 of them take: at most 1.8 times the site. Changes are counted both ways:
 * whole files and the newest rows, or bytes anywhere in files and rows. Every backup is proven. `EASYDASH_BENCH_SITE_MB` and `EASYDASH_BENCH_DAYS`
 * change the size and how many of the 30 are made; `EASYDASH_BENCH_WAYS` chooses one way.
 */
import { randomBytes, randomInt } from 'node:crypto'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Figure } from '../../scripts/bench-run.ts'
import { startProduct, type Product } from '#tests/e2e/support/harness.ts'
import { backedUp, benchSettings, createWordPress, signUpOwner, visit } from './bench-product.ts'

const siteMb = Number(process.env['EASYDASH_BENCH_SITE_MB'] ?? 100)
const days = Math.max(2, Number(process.env['EASYDASH_BENCH_DAYS'] ?? 4))
const ways = (process.env['EASYDASH_BENCH_WAYS'] ?? 'files,bytes').split(',')
const megabyte = 1_000_000
/** Share of the site that changes in a day. */
const share = 0.02
const rowBytes = 10_000
/** What a new site has. */
const wordpressMb = 65
const codeMb = Math.max(wordpressMb, siteMb * 0.16)
/** Bytes that change in files; all of them in what was added, for WordPress itself is not edited. */
const filesToChange = siteMb * 0.9 * megabyte * share

/** Figures of both ways. */
export async function bench(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const way of ways) {
    const product = await startProduct({ env: { ...benchSettings } })
    try {
      const [full = 0, ...later] = await storedBackups(product, way)
      const others = (29 * later.reduce((sum, bytes) => sum + bytes, 0)) / later.length
      figures.push({
        name: `30 backups of ${siteMb} MB, 2 % of its ${way} others each time, of which ${days} were made`,
        value: (full + others) / megabyte / siteMb,
        unit: 'ratio',
        limit: 1.8,
      })
    } finally {
      await product.close()
    }
  }
  return figures
}

/** Bytes that each backup stored. */
async function storedBackups(product: Product, way: string): Promise<number[]> {
  const owner = await signUpOwner(product)
  const site = await createWordPress(owner, 'large')
  const content = await fill(product, join(product.dataDir, 'local', 'sites', site, 'www'))
  const stored: number[] = []
  for (let day = 1; day <= days; day += 1) {
    if (day > 1) await (way === 'files' ? changeFiles : changeBytes)(content)
    const { made } = await backedUp(owner, site, (work) => work())
    stored.push(made.stored_size ?? 0)
    process.stdout.write(`${way}: ${stored.map((bytes) => Math.round(bytes / megabyte)).join(', ')} MB\n`)
  }
  return stored
}

/** A site's files by size, and how many rows were added. */
interface Content {
  product: Product
  www: string
  files: { path: string; size: number; text: boolean }[]
  rows: number
}

/** 10 % rows, 16 % code, of which WordPress is a part, and uploads that do not compress. */
async function fill(product: Product, www: string): Promise<Content> {
  const files: Content['files'] = []
  const add = async (folder: string, name: string, size: number, text: boolean) => {
    const path = join(www, 'wp-content', folder, name)
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, text ? code(size) : randomBytes(size))
    files.push({ path, size, text })
  }
  for (let left = (siteMb * 0.9 - codeMb) * megabyte, at = 0; left > 0; at += 1) {
    const size = randomInt(30_000, 600_000)
    await add('uploads/2025', `photo-${at}.jpg`, size, false)
    left -= size
  }
  for (let left = (codeMb - wordpressMb) * megabyte, at = 0; left > 0; at += 1) {
    const size = randomInt(1_000, 60_000)
    await add(`plugins/many-${at % 40}`, `class-${at}.php`, size, true)
    left -= size
  }
  const rows = Math.round((siteMb * 0.1 * megabyte) / rowBytes)
  for (let from = 0; from < rows; from += 500)
    await runPhp(
      product,
      www,
      `
      for ($at = ${from}; $at < ${Math.min(rows, from + 500)}; $at++)
        $wpdb->insert($wpdb->posts, ['post_title' => "Post $at", 'post_name' => "post-$at", 'post_status' => 'publish', 'post_type' => 'post', 'post_content' => prose(${rowBytes})]);
    `,
    )
  return { product, www, files, rows }
}

/** Code that runs in WordPress, which alone may open its database while it runs. */
async function runPhp(product: Product, www: string, code: string): Promise<void> {
  const name = `run-${randomBytes(8).toString('hex')}.php`
  await writeFile(
    join(www, name),
    `<?php unlink(__FILE__); require __DIR__ . '/wp-load.php'; global $wpdb;
    function prose($bytes) {
      static $words = null;
      if ($words === null) { mt_srand(1); for ($at = 0; $at < 4000; $at++) $words[] = substr(md5(mt_rand()), 0, mt_rand(4, 10)); mt_srand(); }
      $text = '<p>';
      while (strlen($text) < $bytes) $text .= ' ' . $words[mt_rand(0, 3999)];
      return substr($text, 0, $bytes);
    }
    $wpdb->query('START TRANSACTION'); ${code} $wpdb->query('COMMIT'); echo 'done';`,
  )
  const { status, body } = await visit(product, 'large', `/${name}`)
  if (status !== 200 || body.toString() !== 'done')
    throw new Error(`PHP ended with ${status}: ${body.toString().slice(0, 500)}`)
}

/** Other whole files, and the newest rows written again. */
async function changeFiles(content: Content): Promise<void> {
  const { files, rows } = content
  let left = filesToChange
  while (left > 0) {
    const { path, size, text } = files[randomInt(files.length)] as Content['files'][number]
    await writeFile(path, text ? code(size) : randomBytes(size))
    left -= size
  }
  await rewriteRows(content, `ORDER BY ID DESC LIMIT ${Math.round(rows * share)}`)
}

/** Runs of bytes at any place, and rows anywhere. */
async function changeBytes(content: Content): Promise<void> {
  const { files, rows } = content
  const ends: number[] = []
  let all = 0
  for (const { size } of files) ends.push((all += size))
  for (let left = filesToChange; left > 0;) {
    const position = Math.floor(Math.random() * all)
    const at = ends.findIndex((end) => end > position)
    const { path, size, text } = files[at] as Content['files'][number]
    const from = position - ((ends[at] ?? 0) - size)
    const length = Math.min(randomInt(1_000, 40_000), size - from)
    const file = await open(path, 'r+')
    try {
      await file.write(text ? code(length) : randomBytes(length), 0, length, from)
    } finally {
      await file.close()
    }
    left -= length
  }
  await rewriteRows(content, `ORDER BY RAND() LIMIT ${Math.round(rows * share)}`)
}

const rewriteRows = ({ product, www }: Content, which: string): Promise<void> =>
  runPhp(
    product,
    www,
    `
    foreach ($wpdb->get_col("SELECT ID FROM $wpdb->posts WHERE post_name LIKE 'post-%' ${which}") as $id)
      $wpdb->update($wpdb->posts, ['post_content' => prose(${rowBytes})], ['ID' => $id]);
  `,
  )

const words = Array.from({ length: 4_000 }, () => randomBytes(randomInt(2, 6)).toString('hex'))
const textOf = (bytes: number, between: string, begin: string): string => {
  const parts = [begin]
  for (let length = begin.length; length < bytes;) {
    const word = words[randomInt(words.length)] ?? ''
    parts.push(word)
    length += word.length + between.length
  }
  return parts.join(between).slice(0, bytes)
}
const code = (bytes: number) => Buffer.from(textOf(bytes, ' ;\n$', '<?php //'))
