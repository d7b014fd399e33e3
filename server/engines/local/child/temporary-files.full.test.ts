import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SiteSpec } from '../../engine.ts'
import { startFixture, until, type EngineFixture } from '../engine-fixture.ts'

let fixture: EngineFixture
let site: SiteSpec
let temporary: string
beforeAll(async () => {
  fixture = await startFixture()
  site = await fixture.create({ siteType: 'php' })
  temporary = join(fixture.dataDir, 'local', 'sites', site.id, 'temporary')
  await fixture.writeFile(
    site,
    'cart.php',
    `<?php session_start(); $_SESSION['items'] = ($_SESSION['items'] ?? 0) + 1; echo session_id(), ' ', $_SESSION['items'];`,
  )
  // Waits for the network, so that another visit gets the second PHP: a site of its own answers it.
  await fixture.writeFile(
    site,
    'part.php',
    `<?php $file = sys_get_temp_dir() . '/upload.part'; file_put_contents($file, $_GET['part'], FILE_APPEND);
    if (isset($_GET['more'])) echo file_get_contents('http://' . $_SERVER['HTTP_HOST'] . '/part.php?part=' . $_GET['more']);
    else { clearstatcache(); echo file_get_contents($file); }`,
  )
})
afterAll(() => fixture.end())

const visit = async (cookie?: string) => {
  const { body } = await fixture.fetch(site, '/cart.php', cookie === undefined ? {} : { headers: { cookie } })
  const [id, items] = body.split(' ')
  return { cookie: `PHPSESSID=${id}`, items: Number(items) }
}

it('sessions and parts of uploads are the same for every PHP of a site, and after its sleep', async () => {
  const { cookie, items } = await visit()
  expect(items).toBe(1)
  // One request uses the first PHP while the second answers its own.
  expect((await fixture.fetch(site, '/part.php?part=a&more=b')).body).toBe('ab')
  expect((await visit(cookie)).items).toBe(2)
  await fixture.engine.sleepAll()
  expect((await visit(cookie)).items).toBe(3)
  expect((await fixture.fetch(site, '/part.php?part=c')).body).toBe('abc')
  // Uploads go there, too, and none of it is left.
  await fixture.writeFile(site, 'upload.php', `<?php echo dirname($_FILES['f']['tmp_name']);`)
  const form = '--b\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nx\r\n--b--\r\n'
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  expect((await fixture.fetch(site, '/upload.php', { method: 'POST', headers, body: form })).body).toBe('/tmp')
  expect((await readdir(temporary)).filter((name) => !name.startsWith('sess_'))).toEqual(['upload.part'])
})

it('requests of one session wait for each other', async () => {
  const { cookie, items } = await visit()
  const www = join(fixture.dataDir, 'local', 'sites', site.id, 'www')
  const has = (name: string) => until(() => existsSync(join(www, name)))
  await fixture.writeFile(
    site,
    'slow-cart.php',
    `<?php file_put_contents("asks-{$_GET['n']}", '1'); session_start(); file_put_contents("has-{$_GET['n']}", '1');
    $items = $_SESSION['items']; while (!file_exists('go')) { usleep(10000); clearstatcache(); }
    $_SESSION['items'] = $items + 1;`,
  )
  const slow = (n: number) => fixture.fetch(site, `/slow-cart.php?n=${n}`, { headers: { cookie } })
  const first = slow(1)
  await has('has-1')
  const second = slow(2)
  await has('asks-2')
  // Without the lock, it would have read the same number by now.
  expect(existsSync(join(www, 'has-2'))).toBe(false)
  await fixture.writeFile(site, 'go', '1')
  expect([(await first).status, (await second).status]).toEqual([200, 200])
  expect((await visit(cookie)).items).toBe(items + 3)
  // A request that ends by an error leaves no lock.
  await fixture.writeFile(site, 'fatal.php', `<?php ini_set('log_errors', '0'); session_start(); no_such_function();`)
  const fatal = () => fixture.fetch(site, '/fatal.php', { headers: { cookie } })
  expect([(await fatal()).status, (await fatal()).status]).toEqual([500, 500])
  expect((await visit(cookie)).items).toBe(items + 4)
  // Who does not want to wait is told so, and a lock ends with the request that had it.
  await fixture.writeFile(
    site,
    'lock.php',
    `<?php $file = fopen('locked', 'c'); $other = fopen('locked', 'c');
    echo json_encode([flock($file, LOCK_EX), flock($other, LOCK_EX | LOCK_NB)]);`,
  )
  for (const round of ['first', 'second'])
    expect((await fixture.fetch(site, `/lock.php?${round}`)).body).toBe('[true,false]')
})

it('its quota counts them, and old ones are removed', async () => {
  await fixture.php(site, `file_put_contents('/tmp/large', str_repeat('x', 3000000));`)
  await fixture.php(
    site,
    `mkdir('/tmp/folder/inner', 0700, true);
    foreach (['folder/inner/old', 'folder/new'] as $name) file_put_contents("/tmp/$name", 'x');
    foreach (['folder/inner/old', 'large', 'upload.part'] as $name) touch("/tmp/$name", strtotime('2020-01-01'));`,
  )
  // It is measured when the site wakes, before it removes what is old.
  await fixture.engine.sleepAll()
  await fixture.fetch(site, '/cart.php')
  expect((await fixture.engine.observe(site)).storage?.bytes).toBeGreaterThan(2_900_000)
  await until(async () => !(await readdir(temporary)).includes('large'))
  const left = (await readdir(temporary, { recursive: true })).filter((name) => !name.startsWith('sess_'))
  expect(left.sort()).toEqual(['folder', 'folder/inner', 'folder/new'])
  expect(await fixture.errors(site)).toEqual([])
})
