import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SiteSpec } from '../../engine.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { stripForeignDomain } from './proxy-headers.ts'
import { decodePath, isClosedPath } from '../sites/static-files.ts'

describe('requests to local sites', () => {
  let fixture: EngineFixture
  let php: SiteSpec
  let html: SiteSpec
  let www: string
  beforeAll(async () => {
    fixture = await startFixture()
    php = await fixture.create()
    html = await fixture.create({ siteType: 'html' })
    www = join(fixture.dataDir, 'local', 'sites', php.id, 'www')
  })
  afterAll(async () => {
    await fixture.end()
  })

  it('knows its hosts', () => {
    for (const host of ['blog.localhost', 'blog.localhost:8080', 'BLOG.LocalHost', 'a.b.localhost', 'blog.localhost.'])
      expect(fixture.engine.ownsHost(host)).toBe(true)
    for (const host of ['localhost', 'localhost:8080', '127.0.0.1', 'example.com', 'xlocalhost', '', '.localhost'])
      expect(fixture.engine.ownsHost(host)).toBe(false)
  })

  it('answers unknown hosts with a plain page without cookies', async () => {
    const response = await fixture.fetch('nothing.localhost', '/')
    expect(response.status).toBe(404)
    expect(response.headers['set-cookie']).toBeUndefined()
    expect(response.headers['content-security-policy']).toContain("default-src 'none'")
    expect(response.body).toContain('No site here')
  })

  it('hands PHP the request as it came, with only our forwarding headers', async () => {
    await fixture.writeFile(
      php,
      'echo.php',
      `<?php header('X-Seen: yes'); header('X-Powered-By: PHP'); setcookie('a', '1', ['domain' => 'localhost']); setcookie('b', '2');
      echo json_encode(['server' => $_SERVER, 'get' => $_GET, 'post' => $_POST, 'files' => array_map(fn($f) => [$f['name'], md5_file($f['tmp_name'])], $_FILES), 'body' => md5(file_get_contents('php://input'))]);`,
    )
    const response = await fixture.fetch(php, '/echo.php/extra/path?x=%20y&z[]=1', {
      headers: {
        'x-forwarded-for': '6.6.6.6',
        'x-forwarded-proto': 'https',
        forwarded: 'for=6.6.6.6',
        proxy: 'http://evil',
        connection: 'close, x-hop',
        'x-hop': '1',
        cookie: 'c=d',
      },
    })
    expect(response.status).toBe(200)
    const { server, get } = JSON.parse(response.body) as {
      server: Record<string, string>
      get: Record<string, unknown>
    }
    expect(get).toEqual({ x: ' y', z: ['1'] })
    expect(server).toMatchObject({
      HTTP_HOST: `${php.domain}.localhost:${fixture.port}`,
      HTTP_X_FORWARDED_FOR: '127.0.0.1',
      HTTP_X_FORWARDED_PROTO: 'http',
      REMOTE_ADDR: '127.0.0.1',
      REQUEST_METHOD: 'GET',
      REQUEST_URI: '/echo.php/extra/path?x=%20y&z[]=1',
      SCRIPT_NAME: '/echo.php',
      PATH_INFO: '/extra/path',
      SERVER_PORT: String(fixture.port),
      HTTP_COOKIE: 'c=d',
    })
    for (const name of ['HTTP_PROXY', 'HTTP_FORWARDED', 'HTTP_X_HOP']) expect(server[name]).toBeUndefined()
    expect(response.headers['x-seen']).toBe('yes')
    expect(response.headers['x-powered-by']).toBeUndefined()
    const cookies = response.headers['set-cookie'] ?? []
    expect(cookies).toHaveLength(2)
    expect(cookies.join('\n').toLowerCase()).not.toContain('domain')
  })

  it('passes bodies of every kind unharmed', async () => {
    const bytes = randomBytes(3_000_000)
    const boundary = 'edge'
    const form = Buffer.concat([
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="a.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`,
      ),
      bytes,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ])
    const upload = await fixture.fetch(php, '/echo.php', {
      method: 'POST',
      body: form,
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    })
    expect((JSON.parse(upload.body) as { files: Record<string, string[]> }).files['f']).toEqual([
      'a.bin',
      createHash('md5').update(bytes).digest('hex'),
    ])
    const post = await fixture.fetch(php, '/echo.php', {
      method: 'POST',
      body: 'k=v&l=%C3%A4',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect((JSON.parse(post.body) as { post: unknown }).post).toEqual({ k: 'v', l: 'ä' })
    await fixture.writeFile(
      php,
      'big.php',
      `<?php mt_srand(7); for ($i = 0; $i < 3000; $i++) { $s = ''; for ($j = 0; $j < 256; $j++) $s .= chr(mt_rand(0, 255)); $all[] = $s; echo str_repeat($s, 4); } error_log('done'); `,
    )
    const big = await fixture.fetch(php, '/big.php')
    expect(big.bytes.length).toBe(3_000 * 1_024)
    for (let at = 0; at < big.bytes.length; at += 1_024)
      expect(big.bytes.subarray(at, at + 256).equals(big.bytes.subarray(at + 768, at + 1_024))).toBe(true)
    const put = await fixture.fetch(php, '/echo.php', { method: 'PUT', body: bytes })
    expect((JSON.parse(put.body) as { body: string }).body).toBe(createHash('md5').update(bytes).digest('hex'))
  })

  it('passes a page that PHP sends line by line', async () => {
    const page = await fixture.php(
      php,
      'while (ob_get_level()) ob_end_flush(); for ($i = 0; $i < 30000; $i++) { echo "line\\n"; flush(); }',
    )
    expect(page).toBe('line\n'.repeat(30_000))
  })

  it('rejects bodies over 64 MB, with and without a Content-Length', async () => {
    const declared = await fixture
      .fetch(php, '/echo.php', { method: 'POST', headers: { 'content-length': String(65 * 1024 * 1024) } })
      .catch((error: unknown) => error)
    expect(declared).toMatchObject({ status: 413 })
    const undeclared = await fixture
      .fetch(php, '/echo.php', {
        method: 'POST',
        headers: { 'transfer-encoding': 'chunked' },
        body: Buffer.alloc(65 * 1024 * 1024),
      })
      .catch((error: NodeJS.ErrnoException) => error.code)
    // The connection may break before the whole body was sent; what matters is that the site keeps running.
    expect(typeof undeclared === 'string' || (undeclared !== undefined && undeclared.status === 413)).toBe(true)
    expect((await fixture.fetch(php, '/')).status).toBe(200)
  })

  it('trusts the declared length of a response, no matter what PHP sends after it', async () => {
    const after = (
      text: string,
    ) => `<?php while (ob_get_level()) ob_end_flush(); header('Content-Length: 3'); echo 'abc'; flush();
      usleep(200000); echo "HTTP/1.1 ${text}\\r\\nContent-Length: 8\\r\\n\\r\\nsmuggled"; flush();`
    await fixture.writeFile(php, 'next.php', '<?php echo "next";')
    for (const [index, text] of ['200 OK', '000 None', '101 Switching Protocols'].entries()) {
      await fixture.writeFile(php, `after-${index}.php`, after(text))
      expect((await fixture.fetch(php, `/after-${index}.php`)).body).toBe('abc')
      // Requested while PHP still writes to the connection of the previous response.
      const next = await Promise.all([1, 2, 3].map(() => fixture.fetch(php, '/next.php')))
      expect(next.map(({ body }) => body)).toEqual(['next', 'next', 'next'])
    }
    await fixture.writeFile(php, 'short.php', "<?php header('Content-Length: 300'); echo 'abc';")
    await expect(fixture.fetch(php, '/short.php')).rejects.toThrow()
  })

  it('answers for PHP when its status is none', async () => {
    for (const status of [99, 100, 101, 103, 1000]) {
      await fixture.writeFile(php, `status-${status}.php`, `<?php http_response_code(${status}); echo 'text';`)
      expect((await fixture.fetch(php, `/status-${status}.php`)).status).toBe(500)
    }
    await fixture.writeFile(php, 'next.php', '<?php echo "next";')
    expect((await fixture.fetch(php, '/next.php')).body).toBe('next')
  })

  it('serves static files itself: types, conditions and ranges', async () => {
    await writeFile(join(www, 'style.css'), 'body{color:red}')
    const plain = await fixture.fetch(php, '/style.css')
    expect(plain).toMatchObject({ status: 200, body: 'body{color:red}' })
    expect(plain.headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
      'content-length': '15',
    })
    expect((await fixture.fetch(php, '/style.css?ver=6')).headers['cache-control']).toContain('max-age=')
    const etag = plain.headers.etag ?? ''
    expect((await fixture.fetch(php, '/style.css', { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect((await fixture.fetch(php, '/style.css', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
    expect(
      (
        await fixture.fetch(php, '/style.css', {
          headers: { 'if-modified-since': plain.headers['last-modified'] ?? '' },
        })
      ).status,
    ).toBe(304)
    expect(await fixture.fetch(php, '/style.css', { headers: { range: 'bytes=5-9' } })).toMatchObject({
      status: 206,
      body: 'color',
    })
    expect(await fixture.fetch(php, '/style.css', { headers: { range: 'bytes=-4' } })).toMatchObject({
      status: 206,
      body: 'red}',
    })
    expect((await fixture.fetch(php, '/style.css', { headers: { range: 'bytes=99-' } })).status).toBe(416)
    expect(await fixture.fetch(php, '/style.css', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
    await writeFile(join(www, 'no-type.xyz'), 'x')
    expect((await fixture.fetch(php, '/no-type.xyz')).headers['content-type']).toBe('application/octet-stream')
  })

  it('never serves hidden files, databases, logs or code as text', async () => {
    await mkdir(join(www, 'wp-content', 'database'), { recursive: true })
    await mkdir(join(www, '.git'), { recursive: true })
    await mkdir(join(www, '.well-known'), { recursive: true })
    for (const path of [
      'wp-content/database/.ht.sqlite',
      'wp-content/database/x.txt',
      '.git/config',
      '.env',
      'a.sqlite',
      'debug.log',
      'dump.sql',
      'code.phps',
      'wp-config.php~',
      'wp-config.php.orig',
      'wp-config.txt',
      'code.php.',
      'code.php ',
      'x.sqlite-wal',
      'dump.sql.gz',
      'wp-content/database/run.php',
      '.well-known/ok.txt',
    ]) {
      await writeFile(join(www, path), '<?php echo "sec", "ret";')
    }
    for (const path of [
      '/wp-content/database/.ht.sqlite',
      '/wp-content/database/x.txt',
      '/wp-content//database/x.txt',
      '/WP-Content/Database/x.txt',
      '/wp-content/database/run.php',
      '/.git/config',
      '/.env',
      '/%2eenv',
      '/x/%2e%2e/.env',
      '/a.sqlite',
      '/debug.log',
      '/dump.sql',
      '/code.phps',
      '/wp-config.php~',
      '/wp-config.php.orig',
      '/wp-config.txt',
      '/code.php.',
      '/code.php%20',
      '/x.sqlite-wal',
      '/dump.sql.gz',
      '/../../site.json',
      '/%2e%2e/%2e%2e/site.json',
      '/..%2f..%2fsite.json',
      '/..\\..\\site.json',
    ]) {
      const response = await fixture.fetch(php, path)
      expect([path, response.status === 404 || response.status === 400]).toEqual([path, true])
      expect(response.body).not.toContain('sec')
      expect(response.body).not.toContain('adminUser')
    }
    expect((await fixture.fetch(php, '/.well-known/ok.txt')).status).toBe(200)
    expect((await fixture.fetch(php, '/%00')).status).toBe(400)
    expect((await fixture.fetch(php, '/%zz')).status).toBe(400)
  })

  it('serves HTML sites without any process', async () => {
    const folder = join(fixture.dataDir, 'local', 'sites', html.id, 'www')
    await mkdir(join(folder, 'sub'))
    await writeFile(join(folder, 'sub', 'index.html'), 'sub page')
    await writeFile(join(folder, 'x.php'), '<?php echo 1;')
    expect(await fixture.hosted(html)).toMatchObject({
      state: 'running',
      pid: null,
    })
    expect((await fixture.fetch(html, '/')).headers['content-type']).toBe('text/html; charset=utf-8')
    expect((await fixture.fetch(html, '/sub')).headers.location).toBe('/sub/')
    expect((await fixture.fetch(html, '/sub/')).body).toBe('sub page')
    for (const path of ['/x.php', '/missing', '/x.php/y']) expect((await fixture.fetch(html, path)).status).toBe(404)
    expect((await fixture.fetch(html, '/', { method: 'POST' })).status).toBe(405)
    expect(fixture.engine.processes().map((entry) => entry.id)).not.toContain(html.id)
  })

  it('redirects folders and finds index files of PHP sites', async () => {
    await mkdir(join(www, 'admin'), { recursive: true })
    await writeFile(join(www, 'admin', 'index.php'), '<?php echo "admin ", $_SERVER["SCRIPT_NAME"];')
    expect((await fixture.fetch(php, '/admin?x=1')).headers.location).toBe('/admin/?x=1')
    expect((await fixture.fetch(php, '/admin/')).body).toBe('admin /admin/index.php')
    expect((await fixture.fetch(php, '/nowhere')).status).toBe(404)
    expect((await fixture.fetch(php, '/nowhere.php')).status).toBe(404)
  })
})

describe('cookies', () => {
  it('lose domains that leave the site', () => {
    expect(stripForeignDomain('a=b; Domain=.localhost; Path=/', 'blog.localhost:80')).toBe('a=b; Path=/')
    expect(stripForeignDomain('a=b; domain=other.localhost', 'blog.localhost')).toBe('a=b')
    expect(stripForeignDomain('a=b; domain = "localhost" ; HttpOnly', 'blog.localhost')).toBe('a=b; HttpOnly')
    expect(stripForeignDomain('a=b; Domain', 'blog.localhost')).toBe('a=b')
    expect(stripForeignDomain('a=b; Domain=blog.localhost; Secure', 'Blog.localhost:8080')).toBe(
      'a=b; Domain=blog.localhost; Secure',
    )
    expect(stripForeignDomain('domain=value; Path=/', 'blog.localhost')).toBe('domain=value; Path=/')
  })
})

describe('paths', () => {
  it('are decoded once and stay inside', () => {
    expect(decodePath('/a/../../b?x')).toBe('/b')
    expect(decodePath('/%252e%252e/x')).toBe('/%2e%2e/x')
    expect(decodePath('http://x/y')).toBeNull()
    expect(decodePath('/%ff/../%2e/caf%e9%2f')).toBe('/caf\udce9/')
    expect(decodePath('/%c3%a4%ff%2egit')).toBe('/\udcc3\udca4\udcff.git')
    expect(decodePath('/%')).toBeNull()
    expect(isClosedPath('/a/.b/c')).toBe(true)
    expect(isClosedPath('/x/.well-known/y')).toBe(true)
    expect(isClosedPath('/.well-known/y')).toBe(false)
    expect(isClosedPath('/wp-content/databases/x')).toBe(false)
  })
})
