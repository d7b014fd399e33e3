import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { createRowCounter } from '#server/platform/mysql/count-rows.ts'

/** The parts of the scripts on servers that read logins and dumps, run by this machine's shell. */

const root = mkdtempSync(join(tmpdir(), 'scripts-'))
const tree = join(root, 'htdocs')
afterAll(() => rm(root, { recursive: true, force: true }))
beforeEach(async () => {
  await rm(tree, { recursive: true, force: true })
  await mkdir(tree)
})

const script = (name: string) => readFileSync(new URL(`remote/${name}.sh`, import.meta.url), 'utf8')

function run(text: string, args: readonly string[], path = '/usr/bin:/bin') {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', text, 'sh', ...args], { env: { PATH: path, root } })
  return { code: status, said: `${String(stdout)}${String(stderr)}` }
}

interface Login {
  readonly name: string
  readonly user: string
  readonly password: string
}

/** As `sqlite3 -json` prints it. */
const rowOf = ({ name, user, password }: Login) =>
  JSON.stringify([{ db_host: 'global-db', db_port: '3306', db_name: name, db_user: user, db_password: password }])

const query = `query() { case $1 in *"'old.example'"*) cat "$root/old" ;; *) cat "$root/copy" ;; esac; }`

const copy: Login = { name: 'ed_copycopy00_a1b2', user: 'ed_copycopy00_a1b2', password: 'Ab3dEf6hIj9lMn2pQr' }

/** Gives the files in the tree the login of the copy in place of that of its original; null: EasyEngine can't be asked. */
async function adopt(old: Login | '' | null, own = copy, path?: string) {
  await writeFile(join(root, 'old'), old === '' || old === null ? '' : rowOf(old))
  await writeFile(join(root, 'copy'), rowOf(own))
  const asked = old === null ? 'query() { return 1; }' : query
  return run(
    `set -u\ndomain=copy.example\n${asked}\n${script('database')}\nadopt_login "$@"`,
    ['old.example', tree],
    path,
  )
}

const write = (files: Readonly<Record<string, string>>) =>
  Promise.all(Object.entries(files).map(([name, content]) => writeFile(join(tree, name), content)))
const read = (name: string) => readFile(join(tree, name), 'utf8')

test('only files with the password get the login of the copy, and only whole words of them', async () => {
  const config = (name: string, user: string, password: string) =>
    `<?php // ${name}, not shop_examples or my-shop_example\n$db = new PDO("mysql:host=global-db;dbname=${name}", '${user}', '${password}');\n` +
    `const URL = 'mysql://${user}:${password}@global-db:3306/${name}?charset=utf8mb4'; $all = "SELECT * FROM ${name}.orders";`
  const old = { name: 'shop_example', user: 'shop.example-x1Y2z3', password: 'Tr0ub4dor&3' }
  const code = `<?php class shop_example { public $shop_example = 'shop.example-x1Y2z3'; }`
  const binary = `\0${old.name} ${old.password}`
  await write({
    'config.php': config(old.name, old.user, old.password),
    'code.php': code,
    'cache.bin': binary,
    empty: '',
  })
  await chmod(join(tree, 'config.php'), 0o640)
  expect(await adopt(old)).toEqual({
    code: 0,
    said: 'Replaced the login of the database of old.example in 1 files by that of the copy\n',
  })
  expect(await read('config.php')).toBe(config(copy.name, copy.user, copy.password))
  expect([await read('code.php'), await read('cache.bin')]).toEqual([code, binary])
})

test('short names are replaced where they are a whole value, also where name and user are one', async () => {
  const with_ = (name: string, password: string) => ({
    'config.php': `<?php $app = ['app' => '${name}', "app" => "${name}", 'pw' => '${password}']; app($app['app'], '/app/', app::app); // application`,
    '.env': `APP=x\nDB_NAME=${name}\nDB_USER = ${name}\nDB_PASSWORD=${password}\n`,
    'dsn.php': `"mysql:dbname=${name};host=db", 'user=${name}&password=${password}', 'mysql://${name}:${password}@db:3306/${name}?charset=utf8'`,
    'app.yaml': `app:\n  name: ${name}\n  password: ${password}\n  app: app.local\n`,
    'app.json': `{"app":"${name}","password":"${password}"}`,
  })
  const old = { name: 'app', user: 'app', password: 'Sup3rSecret' }
  await write(with_(old.name, old.password))
  expect(await adopt(old)).toMatchObject({ code: 0, said: expect.stringContaining(' in 5 files ') as string })
  for (const [name, content] of Object.entries(with_(copy.name, copy.password))) expect(await read(name)).toBe(content)
})

test('a name that is a part of another one, or of what takes its place, is replaced once', async () => {
  const old = { name: 'example_shop', user: 'example_shop-Xyz123', password: 'example_shop-Xyz123-2' }
  const own = { name: 'ed_1_a', user: 'example_shop', password: 'example_shop-Xyz123' }
  await write({ 'db.ini': `${old.user} ${old.name} ${old.password},${old.name},${old.name}` })
  expect(await adopt(old, own)).toMatchObject({ code: 0 })
  expect(await read('db.ini')).toBe(`${own.user} ${own.name} ${own.password},${own.name},${own.name}`)
})

/** No line breaks; what surrounds it are no letters. */
const password = fc.string({
  unit: fc.constantFrom(...`/&\\$'"|[]*^.#%;<>(){}?!~-_ =:@,éß`, 'a', 'Z', '0', '\\1', '\\E', '$&', '@{[', '\\n'),
  minLength: 8,
  maxLength: 30,
})

test('passwords of any characters are replaced by such', async () => {
  await fc.assert(
    fc.asyncProperty(password, password, async (before, after) => {
      const text = (value: string) => `<?php\n\`${value}\`\`${value}\`\n${value}\n`
      await write({ 'config.php': text(before) })
      const old = { name: 'shop_example', user: 'shop.example-x1Y2z3', password: before }
      expect(await adopt(old, { ...copy, password: after })).toMatchObject({ code: 0 })
      expect(await read('config.php')).toBe(text(after))
    }),
    { numRuns: 100 },
  )
}, 120_000)

test('no program gets a password as an argument', async () => {
  const [log, bin] = [join(root, 'calls'), join(root, 'bin')]
  await mkdir(bin)
  for (const name of ['sh', 'find', 'grep', 'xargs', 'sed', 'perl', 'awk', 'cat', 'wc', 'rm']) {
    await writeFile(
      join(bin, name),
      `#!/bin/sh\nprintf '%s\\n' "${name} $*" >> "${log}"\nexec "/usr/bin/${name}" "$@"\n`,
    )
    await chmod(join(bin, name), 0o755)
  }
  const old = { name: 'shop_example', user: 'shop.example-x1Y2z3', password: 'Tr0ub4dor&3' }
  await write({ 'config.php': old.password })
  expect(await adopt(old, copy, `${bin}:/usr/bin:/bin`)).toMatchObject({ code: 0 })
  expect(await read('config.php')).toBe(copy.password)
  const calls = await readFile(log, 'utf8')
  expect(calls).toContain('perl ')
  expect(calls).not.toContain(old.password)
  expect(calls).not.toContain(copy.password)
})

test('nothing is replaced of a site without a database here', async () => {
  await write({ 'config.php': copy.password })
  expect(await adopt('')).toEqual({ code: 0, said: '' })
})

const known = { name: 'shop_example', user: 'shop.example-x1Y2z3', password: 'Tr0ub4dor&3' }

test.each([
  ['that EasyEngine does not tell', null, "EasyEngine's list of sites can't be read."],
  ['with a line break', { ...known, password: 'Tr0ub4\ndor' }, 'a part of it is empty or has a line break'],
  ['without a user', { ...known, user: '' }, 'a part of it is empty or has a line break'],
  ['whose password is short', { ...known, password: 'secret' }, 'Set one of at least 8 characters'],
  ['whose password is a name', { ...known, password: known.name }, 'Set one of at least 8 characters'],
  ['whose password may be written differently', { ...known, password: `it's&secret` }, 'Use letters and digits only'],
])('a login %s fails the copy, because it would use the database of its original', async (_what, login, said) => {
  const content = `<?php connect('shop.example-x1Y2z3', 'it\\'s&secret', 'Tr0ub4dor3', 'secret');`
  await write({ 'config.php': content })
  expect(await adopt(login)).toMatchObject({ code: 1, said: expect.stringMatching(/^Error: /) as string })
  expect((await adopt(login)).said).toContain(said)
  expect(await read('config.php')).toBe(content)
})

test('the code of a new site gets its login, whatever characters that has', async () => {
  const login = { ...copy, password: `a'b\\c\\'d"$e` }
  await writeFile(join(root, 'copy'), rowOf(login))
  const app = join(root, 'ee/sites/copy.example/app')
  await mkdir(join(app, 'htdocs'), { recursive: true })
  const setup = `set -u\nee_home=$root/ee\n${query}\n${script('database')}\n`
  expect(run(`${setup}${script('database-login')}`, ['copy.example'])).toEqual({ code: 0, said: '' })
  const php = await readFile(join(app, 'database.php'), 'utf8')
  const [, quoted = ''] = /'password' => '(.*)',/.exec(php) ?? []
  expect(quoted.replaceAll(/\\([\\'])/g, '$1')).toBe(login.password)
})

const rows = (count: number) => Array.from({ length: count }, (_, n) => `(${n},'a')`).join(',')

test.each([
  ['nothing', ''],
  ['a table without rows', 'CREATE TABLE `empty` (\n  `a` int\n);\n/*!50001 CREATE VIEW `seen` AS SELECT 1 */;\n'],
  [
    'brackets and line ends in texts',
    "CREATE TABLE `a` (\n);\nINSERT INTO `a` VALUES\n(1,'x\\n),(2;\\'\\\\'),\n(2,NULL),\n(3,'it''s; (');\n",
  ],
  ['brackets in a row', "INSERT INTO `a` VALUES (4,POINT(1,2)),(5,(1),'(');\n"],
  ['names of columns', 'INSERT INTO `a` (`a`, `b)`, `c(`) VALUES (1,2,3),(4,5,6);\n'],
  ['names with backticks', 'CREATE TABLE `a``ü` (\n);\nINSERT INTO `a``ü` (`x``y`) VALUES (1);\n'],
  ['a list that ends within a line', 'INSERT INTO `a` VALUES (1); -- (2),(3)\n(4)\nINSERT INTO `a` VALUES (5);'],
  [
    'the body of a trigger',
    "DELIMITER ;;\n/*!50003 CREATE*/ /*!50003 TRIGGER `t` AFTER INSERT ON `a` FOR EACH ROW BEGIN\nINSERT INTO `log` VALUES\n  (NEW.id, CONCAT('a\nINSERT INTO `b` VALUES (1);', NOW()),\n  (SELECT 1));\nINSERT INTO `log` SELECT (1);\nEND */;;\nDELIMITER ;\n",
  ],
  [
    'statements that are no rows',
    'INSERT INTO a VALUES (1);\nINSERT INTO `a` SELECT (1);\n-- INSERT INTO `a` VALUES (1);\nREPLACE INTO `a` VALUES (1);\n',
  ],
  [
    'a table that is made twice',
    'CREATE TABLE `a` (\n);\nINSERT INTO `a` VALUES (1);\nCREATE TABLE `a` (\n);\nINSERT INTO `a` VALUES (1),(2);\n',
  ],
  ['a text at the end of the file', "INSERT INTO `a` VALUES (1,'\\"],
  ['many rows', `INSERT INTO \`a\` VALUES ${rows(300_000)};\nINSERT INTO \`b\` VALUES\n${rows(10)};\n`],
  ['a long row', `INSERT INTO \`a\` VALUES ('${"\\\\\\'".repeat(1_000_000)}'),(2);\nINSERT INTO \`b\` VALUES (1);\n`],
  ['a long line before rows', `${'x'.repeat(3_000_000)}\nINSERT INTO \`b\` VALUES (1);\n`],
  [
    'more tables than are counted',
    Array.from({ length: 7 }, (_, n) => `CREATE TABLE \`t${n}\` (\n);\nINSERT INTO \`t${n}\` VALUES (1);\n`).join(''),
  ],
])('servers count %s as this machine does', async (_what, dump) => {
  await writeFile(join(root, 'dump.sql'), dump)
  const most = dump.includes('t6') ? 5 : 1_000
  const { code, said } = run(`${script('count-rows')}\ncount_rows "$@"`, [join(root, 'dump.sql'), String(most)])
  const { through, rows: counted } = createRowCounter()
  await text(Readable.from([Buffer.from(dump)]).pipe(through))
  const expected = [...counted].slice(0, most).map(([name, count]) => `${count} ${name.replaceAll('`', '``')}\n`)
  expect({ code, said }).toEqual({ code: 0, said: expected.join('') })
})
