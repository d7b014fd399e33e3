import { mkdir, mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { phpNode, phpUniversal, type Php, type PhpRuntime } from '../child/php-wasm.ts'
import { limitNodeFs } from './limit-node-fs.ts'
import { isLimitable } from './node-fs.ts'
import { measureTree } from '../trees/measure.ts'
import { createQuota, type Quota } from './quota.ts'
import { fileBytes, filesInFolderBytes, folderBytes } from './size-on-disk.ts'

const version = '8.4'
const megabyte = 1024 * 1024
const folders: string[] = []

/** A PHP whose `/site` and `/logs` are folders on disk, with separate quotas. */
async function limitedPhp(max: { files?: number; logs?: number; entries?: number } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'quota-'))
  folders.push(folder)
  for (const name of ['site', 'logs']) await mkdir(join(folder, name))
  const quota = createQuota(
    {
      maxBytes: { files: max.files ?? megabyte, logs: max.logs ?? 8192, outbox: 0 },
      usedBytes: { files: 0, logs: 0, outbox: 0 },
      maxEntries: max.entries ?? 100,
      usedEntries: 0,
    },
    (area) => (area === 'logs' ? filesInFolderBytes(join(folder, 'logs')) : null),
  )
  return { folder, quota, php: await startPhp(folder, quota), another: () => startPhp(folder, quota) }
}

async function startPhp(folder: string, quota: Quota): Promise<Php> {
  const id = await phpUniversal.loadPHPRuntime(await phpNode.getPHPLoaderModule(version), {
    phpWasmAsyncMode: 'jspi',
    onRuntimeInitialized: (runtime: PhpRuntime) => {
      if (!isLimitable(runtime)) throw new Error('This PHP has no NODEFS.')
      const { FS }: PhpRuntime = runtime
      limitNodeFs(runtime, quota, (root) => {
        if (root === join(folder, 'site')) return 'files'
        return root === join(folder, 'logs') ? 'logs' : null
      })
      for (const name of ['site', 'logs']) {
        FS.mkdirTree(`/${name}`)
        FS.mount(FS.filesystems.NODEFS, { root: join(folder, name) }, `/${name}`)
      }
    },
  })
  return new phpUniversal.PHP(id)
}

let run = 0
/** Output of a script, with its warnings as text. */
async function php(one: Php, code: string): Promise<string> {
  run += 1
  const path = `/run-${run}.php`
  one.writeFile(
    path,
    `<?php error_reporting(E_ALL); ini_set('display_errors', '1'); ini_set('html_errors', '0'); ${code}`,
  )
  return (await one.runStream({ scriptPath: path })).stdoutText
}

/** The counted usage and the actual usage. */
async function countedAndActual(folder: string, quota: Quota): Promise<{ counted: unknown; there: unknown }> {
  const names = await readdir(join(folder, 'site'), { recursive: true })
  let bytes = 0
  for (const name of names) {
    const stats = await stat(join(folder, 'site', name))
    bytes += stats.isFile() ? fileBytes(stats.size) : folderBytes
  }
  const used = quota.used()
  return { counted: { bytes: used.bytes.files, entries: used.entries }, there: { bytes, entries: names.length } }
}

describe('quotas in the process of a site', () => {
  beforeEach(() => {
    run += 1
  })
  afterAll(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true })
  })

  it('refuse what is too much and say why, and let everything else be written', async () => {
    const { folder, quota, php: one } = await limitedPhp()
    expect(await php(one, `echo file_put_contents('/site/a', str_repeat('x', 900000));`)).toBe('900000')
    const output = await php(one, `var_dump(file_put_contents('/site/b', str_repeat('x', 900000)));`)
    expect(output).toContain('Quota exceeded')
    expect((await stat(join(folder, 'site', 'b'))).size).toBeLessThan(200_000)
    // Overwriting existing content needs no more space.
    expect(await php(one, `$f = fopen('/site/a', 'r+'); echo fwrite($f, str_repeat('y', 900000));`)).toBe('900000')
    const { counted, there } = await countedAndActual(folder, quota)
    expect(counted).toEqual(there)
  })

  it('counts like the disk for all writes, truncations, moves and removals', async () => {
    const { folder, quota, php: one } = await limitedPhp({ files: 100 * megabyte })
    const output = await php(
      one,
      `mkdir('/site/d/e', 0777, true); file_put_contents('/site/d/a', str_repeat('x', 5000));
       file_put_contents('/site/d/a', 'y', FILE_APPEND); file_put_contents('/site/d/b', str_repeat('x', 300));
       rename('/site/d/a', '/site/d/b'); rename('/site/d/b', '/site/d/e/c');
       $f = fopen('/site/sparse', 'w'); ftruncate($f, 70000); fseek($f, 90000); fwrite($f, 'end'); ftruncate($f, 80000); fclose($f);
       copy('/site/sparse', '/site/copy'); file_put_contents('/site/copy', 'short');
       for ($i = 0; $i < 20; $i++) file_put_contents("/site/many$i", str_repeat('m', $i)); for ($i = 0; $i < 10; $i++) unlink("/site/many$i");
       mkdir('/site/gone'); rmdir('/site/gone'); touch('/site/empty'); chmod('/site/empty', 0600); echo 'done';`,
    )
    expect(output).toBe('done')
    const { counted, there } = await countedAndActual(folder, quota)
    expect(counted).toEqual(there)
  })

  it('count whole blocks and folders, as a measurement does', async () => {
    const { folder, quota, php: one } = await limitedPhp({ files: 2 * megabyte, entries: 1_000 })
    const made = `for ($i = 0; $i < 300; $i++) if (!@mkdir("/site/d$i") || !@file_put_contents("/site/d$i/f", 'x')) break; echo $i;`
    expect(Number(await php(one, made))).toBeLessThan(300)
    const measured = measureTree(join(folder, 'site'), { entries: 1_000, cpuMs: 60_000 }).bytes
    expect(quota.used().bytes.files).toBeGreaterThanOrEqual(measured)
    await php(one, `foreach (glob('/site/*/f') as $f) unlink($f); foreach (glob('/site/*') as $d) rmdir($d);`)
    expect(quota.used()).toMatchObject({ bytes: { files: 0 }, entries: 0 })
  })

  it('refuse folders nested deeper than they are measured, however they get there', async () => {
    const { folder, php: one } = await limitedPhp({ entries: 2_000, files: 100 * megabyte })
    const chain = (name: string, levels: number) => `'/site/${name}' . str_repeat('/d', ${levels - 1})`
    const output = await php(
      one,
      `var_dump(mkdir(${chain('a', 100)}, 0777, true), @mkdir(${chain('a', 101)}));
       var_dump(file_put_contents(${chain('a', 100)} . '/file', 'x') === 1);
       mkdir(${chain('b', 60)}, 0777, true); mkdir(${chain('c', 41)}, 0777, true);
       var_dump(@rename('/site/c', ${chain('b', 60)} . '/c'));
       rmdir(${chain('c', 41)}); var_dump(rename('/site/c', ${chain('b', 60)} . '/c'));
       var_dump(rename(${chain('b', 60)} . '/c', '/site/c'));
       chdir(${chain('a', 100)}); var_dump(@mkdir('d'), @rename('/site/c', 'c'));`,
    )
    const responses = [true, false, true, false, true, true, false, false]
    expect(output.match(/true|false/g)).toEqual(responses.map(String))
    const names = await readdir(join(folder, 'site'), { recursive: true })
    expect(Math.max(...names.map((name) => name.split('/').length))).toBe(101)
    const measured = measureTree(join(folder, 'site'), { entries: 2_000, cpuMs: 60_000 })
    expect(measured).toMatchObject({ complete: true, entries: names.length })
    expect(await php(one, `echo mkdir('/site/${'a/'.repeat(200)}', 0777, true);`)).toContain('Filename too long')
  })

  it('let no folder stand beside the error log: what is in it would not be counted', async () => {
    const { folder, php: one } = await limitedPhp({ logs: 100_000 })
    expect(await php(one, `var_dump(@mkdir('/logs/d'), file_put_contents('/logs/f', 'x'));`)).toBe(
      'bool(false)\nint(1)\n',
    )
    expect(await readdir(join(folder, 'logs'))).toEqual(['f'])
  })

  it('refuse one file or folder too many', async () => {
    const { folder, php: one } = await limitedPhp({ entries: 5 })
    const output = await php(
      one,
      `for ($i = 0; $i < 4; $i++) touch("/site/f$i"); mkdir('/site/d'); var_dump(@touch('/site/more'), @mkdir('/site/e'));
       unlink('/site/f0'); var_dump(touch('/site/more'));`,
    )
    expect(output.match(/true|false/g)).toEqual(['false', 'false', 'true'])
    expect(await readdir(join(folder, 'site'))).toHaveLength(5)
  })

  it('counts files removed while open until they are closed', async () => {
    const { quota, php: one } = await limitedPhp()
    const output = await php(
      one,
      `$f = fopen('/site/a', 'w'); fwrite($f, str_repeat('x', 900000)); unlink('/site/a');
       var_dump(@file_put_contents('/site/b', str_repeat('x', 900000)) === 900000); unlink('/site/b');
       fclose($f); var_dump(file_put_contents('/site/c', str_repeat('x', 900000)) === 900000);`,
    )
    expect(output.match(/true|false/g)).toEqual(['false', 'true'])
    expect(quota.used()).toEqual({ bytes: { files: fileBytes(900_000), logs: 0, outbox: 0 }, entries: 1 })
  })

  it('refuse a huge file that holds nothing', async () => {
    const { folder, php: one } = await limitedPhp()
    await php(one, `$f = fopen('/site/a', 'w'); @ftruncate($f, 1 << 40); @fseek($f, 1 << 40); @fwrite($f, 'x');`)
    expect((await stat(join(folder, 'site', 'a'))).size).toBe(0)
  })

  it('are shared by the PHPs of a site, also for files that one removed and the other still knows', async () => {
    const { folder, quota, php: one, another } = await limitedPhp({ entries: 3 })
    const two = await another()
    for (let round = 0; round < 4; round += 1) {
      await php(one, `@file_put_contents('/site/seen-${round}', 'x');`)
      await php(two, `@file_get_contents('/site/seen-${round}'); @unlink('/site/seen-${round}');`)
      await php(one, `@file_put_contents('/site/seen-${round}', 'again');`)
    }
    expect((await readdir(join(folder, 'site'))).length).toBeLessThanOrEqual(3)
    const { counted, there } = await countedAndActual(folder, quota)
    expect(counted).toEqual(there)
  })

  it('have an own limit for the error log, and notice that it was emptied', async () => {
    const { folder, php: one } = await limitedPhp()
    const write = `var_dump(@file_put_contents('/logs/php.log', str_repeat('x', 6000), FILE_APPEND) === 6000);`
    expect(await php(one, write + write)).toBe('bool(true)\nbool(false)\n')
    await truncate(join(folder, 'logs', 'php.log'), 0)
    expect(await php(one, write)).toBe('bool(true)\n')
    // Other files on disk don't belong to the site.
    await writeFile(join(folder, 'beside'), 'x')
  })

  it('leave a database whole that has no room to grow', async () => {
    const { php: one } = await limitedPhp({ files: 300_000 })
    const output = await php(
      one,
      `$db = new PDO('sqlite:/site/db'); $db->exec('pragma journal_mode = delete'); $db->exec('create table t (x text)');
       $rows = 0; try { for (;;) { $db->exec("insert into t values ('" . str_repeat('x', 5000) . "')"); $rows++; } } catch (PDOException $e) { echo 'refused '; }
       $db = null; $db = new PDO('sqlite:/site/db');
       echo $db->query('pragma integrity_check')->fetchColumn(), ' ', $db->query('select count(*) from t')->fetchColumn() == $rows ? 'kept' : 'lost';`,
    )
    expect(output).toBe('refused ok kept')
  })
})
