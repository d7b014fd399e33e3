import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { phpNode, phpUniversal, type Php, type PhpRuntime } from './php-wasm.ts'
import { prepareFileSystem } from './site-filesystem.ts'

let folder: string
let php: Php
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'site-filesystem-'))
  await mkdir(join(folder, 'site'))
  const id = await phpUniversal.loadPHPRuntime(await phpNode.getPHPLoaderModule('8.4'), {
    phpWasmAsyncMode: 'jspi',
    onRuntimeInitialized: (runtime: PhpRuntime) => {
      prepareFileSystem(runtime)
      runtime.FS.mkdirTree('/site')
      runtime.FS.mount(runtime.FS.filesystems.NODEFS, { root: join(folder, 'site') }, '/site')
    },
  })
  php = new phpUniversal.PHP(id)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const modeOf = async (...names: string[]) => (await stat(join(folder, 'site', ...names))).mode & 0o7777

it('a site cannot remove the access of the engine, which can be the same user, to its files and folders', async () => {
  php.writeFile(
    '/run.php',
    `<?php umask(0777); mkdir('/site/made', 0300); touch('/site/new'); umask(0);
     mkdir('/site/closed'); chmod('/site/closed', 0300); mkdir('/site/list'); chmod('/site/list', 0444);
     touch('/site/file'); chmod('/site/file', 0); touch('/site/kept'); chmod('/site/kept', 0440);
     touch('/site/id'); chmod('/site/id', 06755); chmod('/site', 0);`,
  )
  await (
    await php.runStream({ scriptPath: '/run.php' })
  ).exitCode
  expect((await modeOf()) & 0o700).toBe(0o700)
  for (const name of ['made', 'closed', 'list']) expect((await modeOf(name)) & 0o700).toBe(0o700)
  for (const name of ['new', 'file']) expect((await modeOf(name)) & 0o400).toBe(0o400)
  expect(await modeOf('kept')).toBe(0o440)
  expect(await modeOf('id')).toBe(0o755)
})
