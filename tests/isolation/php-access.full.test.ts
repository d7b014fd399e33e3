import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { mkdtemp, readdir, readFile, readlink, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SiteSpec } from '#server/engines/engine.ts'
import { localPhpVersions } from '#server/engines/local/capabilities.ts'
import { startFixture, type EngineFixture } from '#server/engines/local/engine-fixture.ts'

/** A listener that notes every connection, as PostgreSQL or the dashboard would get it. */
interface RecordingListener {
  port: number
  connections: number
  close(): void
}

async function trap(address: string | { path: string }): Promise<RecordingListener> {
  const server: Server = createServer((socket) => {
    state.connections += 1
    socket.on('error', () => undefined)
    socket.end('HTTP/1.0 200 OK\r\n\r\nsecret')
  })
  const state: RecordingListener = { port: 0, connections: 0, close: () => server.close() }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    if (typeof address === 'string') server.listen(0, address, resolve)
    else server.listen(address.path, resolve)
  })
  if (typeof address === 'string') state.port = (server.address() as AddressInfo).port
  return state
}

describe.each(localPhpVersions)('the surroundings of a site with PHP %s', (phpVersion) => {
  let fixture: EngineFixture
  let site: SiteSpec
  let other: SiteSpec
  beforeAll(async () => {
    process.env['EASYDASH_LEAK_MARKER'] = 'marker-of-the-parent'
    fixture = await startFixture()
    site = await fixture.create({ phpVersion })
    other = await fixture.create({ phpVersion })
  })
  afterAll(async () => {
    delete process.env['EASYDASH_LEAK_MARKER']
    await fixture.end()
  })

  describe('network', () => {
    it('never reaches listeners of this machine, by any way PHP has', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'trap-'))
      const v4 = await trap('127.0.0.1')
      const any = await trap('0.0.0.0')
      const unix = await trap({ path: join(folder, 's.sock') })
      const v6 = await trap('::1').catch(() => null)
      try {
        const hosts = [
          '127.0.0.1',
          '127.0.0.2',
          '0.0.0.0',
          '127.1',
          '2130706433',
          '0x7f000001',
          'localhost',
          'LOCALHOST',
          'localhost.',
          '[::1]',
          '::1',
          '[::ffff:127.0.0.1]',
          '::ffff:127.0.0.1',
          '10.0.0.1',
          '169.254.169.254',
        ]
        const output = await fixture.php(
          site,
          `
          set_error_handler(fn() => true);
          $opened = [];
          foreach (${phpList(hosts)} as $host) foreach (${phpList([...new Set([v4.port, any.port, fixture.port, v6?.port ?? v4.port])])} as $port) {
            $bare = trim($host, '[]');
            $context = stream_context_create(['http' => ['timeout' => 2]]);
            if (str_contains((string) @file_get_contents("http://$host:$port/", false, $context), 'secret')) $opened[] = "fgc $host";
            $s = @fsockopen($host, $port, $no, $text, 2);
            if ($s) { fwrite($s, "GET / HTTP/1.0\\r\\n\\r\\n"); stream_set_timeout($s, 1); if (fread($s, 10)) $opened[] = "fsockopen $host"; fclose($s); }
            $s = @stream_socket_client("tcp://$host:$port", $no, $text, 2);
            if ($s) { fwrite($s, "x\\r\\n\\r\\n"); stream_set_timeout($s, 1); if (fread($s, 10)) $opened[] = "client $host"; fclose($s); }
            if (function_exists('socket_create')) {
              $s = @socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
              if ($s && @socket_connect($s, $bare, $port)) { @socket_write($s, "x"); if (@socket_read($s, 10)) $opened[] = "socket $host"; }
            }
            $c = curl_init("http://$host:$port/"); curl_setopt_array($c, [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 2, CURLOPT_CONNECTTIMEOUT => 2]);
            if (str_contains((string) @curl_exec($c), 'secret')) $opened[] = "curl $host";
          }
          foreach (['unix://${join(folder, 's.sock')}', 'udg://${join(folder, 's.sock')}'] as $path) if (@stream_socket_client($path, $no, $text, 2)) $opened[] = $path;
          $c = curl_init('http://x/'); curl_setopt_array($c, [CURLOPT_UNIX_SOCKET_PATH => '${join(folder, 's.sock')}', CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 2]);
          if (@curl_exec($c)) $opened[] = 'curl unix';
          $c = curl_init('http://example.com:${v4.port}/'); curl_setopt_array($c, [CURLOPT_RESOLVE => ['example.com:${v4.port}:127.0.0.1'], CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 2]);
          if (@curl_exec($c)) $opened[] = 'curl resolve';
          echo json_encode($opened), ' end';`,
        )
        expect(output).toBe('[] end')
        expect([v4.connections, any.connections, unix.connections, v6?.connections ?? 0]).toEqual([0, 0, 0, 0])
        expect(fixture.dashboardRequests).toEqual([])
      } finally {
        v4.close()
        any.close()
        unix.close()
        v6?.close()
        await rm(folder, { recursive: true })
      }
    })

    it('reaches its own address, and only the own one', async () => {
      await fixture.writeFile(site, 'own.php', '<?php echo "own answer ", $_SERVER["HTTP_HOST"];')
      const own = `${site.domain}.localhost:${fixture.port}`
      const code = (host: string): string =>
        `echo (string) @file_get_contents('http://${host}/own.php'), '|'; $c = curl_init('http://${host}/own.php'); curl_setopt_array($c, [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 5]); echo (string) curl_exec($c);`
      expect(await fixture.php(site, code(own))).toBe(`own answer ${own}|own answer ${own}`)
      await fixture.writeFile(other, 'own.php', '<?php echo "foreign answer";')
      expect(await fixture.php(site, code(`${other.domain}.localhost:${fixture.port}`))).toBe('|')
      // The Host header does not decide where a connection goes.
      expect(
        await fixture.php(
          site,
          `$s = fsockopen('${site.domain}.localhost', ${fixture.port}); fwrite($s, "GET /own.php HTTP/1.0\\r\\nHost: ${other.domain}.localhost:${fixture.port}\\r\\n\\r\\n"); echo stream_get_contents($s);`,
        ),
      ).not.toContain('foreign')
      expect(fixture.dashboardRequests).toEqual([])
    })

    it('cannot listen', async () => {
      expect(
        await fixture.php(
          site,
          `
        echo json_encode(@stream_socket_server('tcp://127.0.0.1:0', $no, $text)), json_encode(@stream_socket_server('tcp://0.0.0.0:0', $no, $text));`,
        ),
      ).toBe('falsefalse')
      // Binding UDP seems to work to PHP; no socket is behind it.
      await fixture.php(site, `@stream_socket_server('udp://127.0.0.1:0', $no, $text, STREAM_SERVER_BIND);`)
      expect((await fixture.fetch(site, '/')).status).toBe(200)
    })
  })

  describe('files and surroundings', () => {
    it('sees nothing of this machine', async () => {
      const output = await fixture.php(
        site,
        `
        echo json_encode(['env' => getenv(), 'server' => $_SERVER, 'passwd' => @file_get_contents('/etc/passwd'), 'proc' => @scandir('/proc/1'),
          'root' => scandir('/'), 'up' => @file_get_contents('/wordpress/../../site.json'), 'tokens' => @scandir('/wordpress/../tokens')]);`,
      )
      expect(output).not.toContain('marker-of-the-parent')
      expect(output).not.toContain(fixture.dataDir)
      expect(output).not.toContain('site-process')
      const seen = JSON.parse(output) as {
        env: Record<string, string>
        passwd: false
        proc: false
        root: string[]
        up: false
        tokens: false
      }
      expect(seen.env['DATABASE_URL']).toBeUndefined()
      expect([seen.passwd, seen.proc, seen.up, seen.tokens]).toEqual([false, false, false, false])
      expect(seen.root).not.toContain('work')
    })

    it('cannot make links, and links that exist lead nowhere', async () => {
      const www = join(fixture.dataDir, 'local', 'sites', site.id, 'www')
      await symlink('/etc/passwd', join(www, 'passwd.txt'))
      await symlink('/etc', join(www, 'etc'))
      await symlink('../site.json', join(www, 'up.json'))
      expect(
        await fixture.php(
          site,
          `
        echo json_encode([@symlink('/etc/passwd', '/wordpress/made.txt'), @symlink('/etc', '/wordpress/made'), @link('/etc/passwd', '/wordpress/hard.txt'),
          @file_get_contents('/wordpress/passwd.txt'), @file_get_contents('/wordpress/etc/passwd'), @file_get_contents('/wordpress/up.json')]);`,
        ),
      ).toBe('[false,false,false,false,false,false]')
      for (const path of ['/passwd.txt', '/etc/passwd', '/up.json', '/made.txt', '/made/passwd', '/hard.txt']) {
        const response = await fixture.fetch(site, path)
        expect(response.status).toBe(404)
        expect(response.body).not.toContain('root:')
      }
    })

    it('has no functions that start programs or hang', async () => {
      expect(
        await fixture.php(
          site,
          `
        $working = array_filter(['exec', 'shell_exec', 'system', 'passthru', 'popen', 'proc_open'], 'function_exists');
        echo json_encode([array_values($working), mail('a@example.com', 'Subject', 'Text')]);`,
        ),
      ).toBe('[[],true]')
      const kept = join(fixture.dataDir, 'local', 'sites', site.id, 'outbox')
      const [name] = await readdir(kept)
      expect(JSON.parse(await readFile(join(kept, name ?? ''), 'utf8'))).toMatchObject({
        to: 'a@example.com',
        subject: 'Subject',
        message: 'Text',
      })
    })

    it.runIf(process.getuid?.() === 0)('runs as a user of its own, different from its neighbors', async () => {
      const users = await Promise.all(
        fixture.engine.processes().map(async ({ pid }) => (await stat(`/proc/${pid}`)).uid),
      )
      expect(users.length).toBe(2)
      expect(new Set(users).size).toBe(2)
      for (const uid of users) expect(uid).toBeGreaterThanOrEqual(55_000)
      const folder = join(fixture.dataDir, 'local', 'sites', site.id)
      expect((await stat(join(folder, 'www', 'index.php'))).uid).toBe(users[0])
      // PHP can open its files to everybody; the way to them stays closed.
      await fixture.php(site, `chmod('/wordpress', 0777);`)
      const { mode, uid, gid } = await stat(folder)
      expect([(mode & 0o777).toString(8), uid, gid]).toEqual(['710', 0, users[0]])
    })

    it.runIf(process.platform === 'linux')('gives its process neither our environment nor our open files', async () => {
      const pid = (await fixture.hosted(site))?.pid
      expect(await readFile(`/proc/${pid}/environ`, 'utf8')).not.toContain('marker-of-the-parent')
      // Where memory ends, the site goes first.
      expect(await readFile(`/proc/${pid}/oom_score_adj`, 'utf8')).toBe('1000\n')
      const server = createHttpServer()
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve)
      })
      const late = await fixture.create()
      const latePid = (await fixture.hosted(late))?.pid
      const files = await Promise.all(
        (await readdir(`/proc/${latePid}/fd`)).map((fd) => readlink(`/proc/${latePid}/fd/${fd}`).catch(() => '')),
      )
      expect(files.filter((file) => file.includes(fixture.dataDir) && !file.includes(late.id))).toEqual([])
      await new Promise((resolve) => {
        server.close(resolve)
      })
    })
  })
})

function phpList(values: readonly (string | number)[]): string {
  return JSON.stringify(values)
}
