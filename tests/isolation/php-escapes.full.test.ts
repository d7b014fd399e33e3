import { readdirSync } from 'node:fs'
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SiteSpec } from '#server/engines/engine.ts'
import { localPhpVersions } from '#server/engines/local/capabilities.ts'
import { startFixture, type EngineFixture } from '#server/engines/local/engine-fixture.ts'
import { sideModule } from './side-module.ts'

/*
 * Ways out of PHP-WASM that a plugin uploaded in wp-admin has: everything PHP and its C extensions can call.
 * Each attack tries to leave a file on the machine; none may, and the site goes on answering.
 */
describe.each(localPhpVersions)('PHP %s', (phpVersion) => {
  let fixture: EngineFixture
  let site: SiteSpec
  let outside: string
  beforeAll(async () => {
    outside = await mkdtemp(join(tmpdir(), 'outside-'))
    // Open to whatever user the site's process has: what keeps PHP out must not be this folder's mode.
    await chmod(outside, 0o777)
    fixture = await startFixture()
    site = await fixture.create({ phpVersion })
  })
  afterAll(async () => {
    await fixture.end()
    await rm(outside, { recursive: true, force: true })
  })

  afterEach(async () => {
    for (const name of readdirSync(outside)) await rm(join(outside, name))
  })

  const expectNoFilesOutside = async (): Promise<void> => {
    expect(readdirSync(outside)).toEqual([])
    expect((await fixture.fetch(site, '/')).status).toBe(200)
  }

  // First: later tests change where ImageMagick looks for its programs, and a site keeps that.
  it('answers at once when ImageMagick cannot draw a PDF', async () => {
    const response = await fixture.php(
      site,
      `file_put_contents('/tmp/a.pdf', "%PDF-1.4\\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\\ntrailer<</Root 1 0 R>>\\n%%EOF");
      try { (new Imagick())->readImage('/tmp/a.pdf[0]'); echo 'drawn'; } catch (ImagickException $e) { echo 'refused'; }`,
    )
    expect(['drawn', 'refused']).toContain(response)
    await expectNoFilesOutside()
  })

  it('runs no program through a delegate of ImageMagick', async () => {
    const response = await fixture.php(
      site,
      `@mkdir('/tmp/magick');
      file_put_contents('/tmp/magick/delegates.xml', '<delegatemap><delegate decode="x" command="id > ${outside}/delegate"/>'
        . '<delegate decode="pdf" command="id > ${outside}/pdf"/><delegate encode="y" command="id > ${outside}/encode"/></delegatemap>');
      file_put_contents('/tmp/magick/policy.xml', '<policymap><policy domain="delegate" rights="read|write|execute" pattern="*"/></policymap>');
      foreach (['MAGICK_CONFIGURE_PATH', 'MAGICK_HOME', 'HOME'] as $name) putenv($name . '=/tmp/magick');
      foreach (['x:https://example.com/', 'x:/tmp/magick/a', '/tmp/a.x', 'ephemeral:/tmp/b'] as $name) {
        file_put_contents('/tmp/a.x', 'x');
        try { (new Imagick())->readImage($name); } catch (ImagickException $e) {}
        try { $i = new Imagick(); $i->newImage(4, 4, 'red'); $i->writeImage('y:/tmp/c'); } catch (ImagickException $e) {}
      }
      echo 'end';`,
    )
    expect(response).toBe('end')
    await expectNoFilesOutside()
  })

  it('starts no program by functions that are not disabled', async () => {
    const response = await fixture.php(
      site,
      `ini_set('sendmail_path', 'id > ${outside}/sendmail');
      @error_log('text', 1, 'a@example.com', "X: y");
      @ini_set('disable_functions', '');
      foreach (['exec', 'shell_exec', 'system', 'passthru', 'popen', 'proc_open', 'pcntl_exec', 'dl'] as $name)
        if (function_exists($name)) echo $name;
      if (function_exists('mb_send_mail')) @mb_send_mail('a@example.com', 's', 't');
      if (function_exists('imap_open')) @imap_open('{x:143/imap}INBOX', 'a', 'b');
      echo 'end';`,
    )
    expect(response).toBe('end')
    await expectNoFilesOutside()
  })

  it('loads no dynamic library, whose strings would run as JavaScript', async () => {
    await fixture.writeFile(
      site,
      'evil.so',
      sideModule(`(void)<::>0; process.getBuiltinModule('fs').writeFileSync('${outside}/em-js', 'x')`),
    )
    const response = await fixture.php(
      site,
      `set_error_handler(fn() => true);
      if (class_exists('Pdo\\\\Sqlite')) foreach (['/wordpress/evil.so', 'evil.so', '/internal/evil.so'] as $path) {
        try { (new Pdo\\Sqlite('sqlite::memory:'))->loadExtension($path); echo 'loaded'; } catch (Throwable $e) {}
      }
      if (class_exists('SQLite3')) {
        ini_set('sqlite3.extension_dir', '/wordpress');
        try { if (@(new SQLite3(':memory:'))->loadExtension('evil.so')) echo 'loaded'; } catch (Throwable $e) {}
      }
      try { $p = new PDO('sqlite::memory:'); $p->exec("SELECT load_extension('/wordpress/evil.so')"); echo 'loaded'; } catch (Throwable $e) {}
      if (class_exists('FFI')) try { FFI::cdef('int system(const char *c);', '/wordpress/evil.so'); echo 'loaded'; } catch (Throwable $e) {}
      if (function_exists('dl')) echo 'dl';
      @putenv('LD_PRELOAD=/wordpress/evil.so');
      echo 'end';`,
    )
    expect(response).toBe('end')
    await expectNoFilesOutside()
  })

  it('runs no JavaScript of the process by messages', async () => {
    const response = await fixture.php(
      site,
      `echo json_encode(function_exists('post_message_to_js') ? @post_message_to_js('{"command":"eval"}') : null), 'end';`,
    )
    expect(response.endsWith('end')).toBe(true)
    await expectNoFilesOutside()
  })

  it('leaves files without the bits that make a program another user', async () => {
    await fixture.php(
      site,
      `file_put_contents('/wordpress/s', 'x'); chmod('/wordpress/s', 07777); mkdir('/wordpress/d', 07777); chmod('/wordpress/d', 07777);`,
    )
    const www = join(fixture.dataDir, 'local', 'sites', site.id, 'www')
    for (const name of ['s', 'd']) expect(((await stat(join(www, name))).mode & 0o7000).toString(8)).toBe('0')
  })
})
