import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import type { SiteSpec } from '../../engine.ts'

let fixture: EngineFixture
let site: SiteSpec

beforeAll(async () => {
  fixture = await startFixture()
  site = await fixture.create({ siteType: 'php' })
  await fixture.writeFile(site, 'replace.php', await readFile(new URL('./replace.php', import.meta.url)))
})
afterAll(() => fixture?.end())

const php = (code: string) =>
  fixture.php(
    site,
    `error_reporting(E_ALL); ini_set('display_errors', '1'); require __DIR__ . '/replace.php';
     $r = new Easydash_Replacer('old.localhost:8080', 'a-longer-name.localhost:8080'); ${code}`,
  )
const replaced = async (texts: readonly string[]) =>
  JSON.parse(
    await php(
      `echo json_encode(array_map(fn($t) => $r->text($t), json_decode(base64_decode('${Buffer.from(JSON.stringify(texts)).toString('base64')}'))), JSON_UNESCAPED_SLASHES);`,
    ),
  ) as string[]

test('generated values keep their structure, and every address in them is replaced', async () => {
  // The reference replaces in the unserialized value.
  const output = await php(String.raw`
    class Box { public $a; protected $b; private $c; public function __construct($a, $b, $c) { $this->a = $a; $this->b = $b; $this->c = $c; } 
      public function map($f) { return new Box($f($this->a), $f($this->b), $f($this->c)); } }
    mt_srand(7);
    $old = 'http://old.localhost:8080'; $new = 'http://a-longer-name.localhost:8080';
    $texts = ['', 'x', "$old/ä", "ü $old", "//old.localhost:8080", "a\0b$old\"; i:1;}", "$old $old", "https://old.localhost:8080/?a=1", "line\n$old", "'\"\\", "old.localhost", str_repeat('ж', 50) . $old, ';', '}', 's:1:"', "http://old.localhost:80801"];
    function value($depth) { global $texts;
      switch (mt_rand(0, $depth > 4 ? 5 : 8)) {
        case 0: return mt_rand(-99, 99); case 1: return null; case 2: return (bool) mt_rand(0, 1);
        case 3: return [0.5, -1.0E+25, INF, -INF, 1e-7][mt_rand(0, 4)];
        case 4: case 5: return $texts[mt_rand(0, count($texts) - 1)];
        case 6: return new Box(value($depth + 1), value($depth + 1), value($depth + 1));
        case 7: return serialize(value($depth + 1));
        default: $list = []; for ($i = mt_rand(0, 4); $i > 0; $i--) { $list[mt_rand(0, 1) ? mt_rand(-5, 5) : 'k' . $texts[mt_rand(0, 15)]] = value($depth + 1); } return $list;
      } }
    function expected($value) { global $old, $new;
      if ($value instanceof Box) return $value->map('expected');
      if (is_array($value)) return array_map('expected', $value);
      if (!is_string($value)) return $value;
      if ($value !== '' && $value !== 'b:0;' && false !== ($inner = @unserialize($value))) return serialize(expected($inner));
      return str_replace(['http://old.localhost:80801', 'old.localhost:8080', "\1"], ["\1", 'a-longer-name.localhost:8080', 'http://old.localhost:80801'], $value);
    }
    $wrong = 0; $with = 0;
    for ($i = 0; $i < 3000; $i++) {
      $value = value(0); $text = serialize($value); $out = $r->text($text); $want = serialize(expected($value));
      if ($out !== $text) $with++;
      if ($out !== $want) { if ($wrong++ < 3) { echo "$text\n$out\n$want\n\n"; } }
      if ($r->text($out) !== $out) { $wrong++; echo "again: $out\n"; }
    }
    echo json_encode([$wrong, $with > 500, $r->broken]);`)
  expect(output).toBe('[0,true,0]')
})

test('serialized texts that are cut, lengthened or changed stay as they are', async () => {
  const output = await php(String.raw`
    $whole = serialize(['a' => 'http://old.localhost:8080/ä', 'b' => [1, 'http://old.localhost:8080'], 'c' => (object) ['d' => 'x']]);
    $wrong = [];
    for ($i = 0; $i < strlen($whole) - 1; $i++) {
      foreach ([substr($whole, 0, $i) . '}', substr($whole, 0, $i) . '9' . substr($whole, $i), substr($whole, 0, $i) . substr($whole, $i + 1)] as $text) {
        $out = $r->text($text);
        if (@unserialize($text) === false && preg_match('/^[aO]:\d+:[{"]/', $text) && $out !== $text) $wrong[] = $text;
        if (@unserialize($text) !== false && @unserialize($out) === false) $wrong[] = $text;
      }
    }
    echo json_encode($wrong);`)
  expect(output).toBe('[]')
})

test('addresses are found as JSON and URLs write them, and longer names are others', async () => {
  const pairs: [string, string][] = [
    ['http:\\/\\/old.localhost:8080\\/x', 'http:\\/\\/a-longer-name.localhost:8080\\/x'],
    ['http%3A%2F%2Fold.localhost%3A8080%2Fx', 'http%3A%2F%2Fa-longer-name.localhost%3A8080%2Fx'],
    ['"//OLD.localhost:8080".', '"//a-longer-name.localhost:8080".'],
    ['See http://old.localhost:8080. Then', 'See http://a-longer-name.localhost:8080. Then'],
    ['old.localhost:8080', 'a-longer-name.localhost:8080'],
    ...[
      'http://old.localhost:80805/',
      'http://old.localhost/',
      'http://older.localhost:8080',
      'http://my-old.localhost:8080',
      'me@old.localhost:8080',
    ].map((text): [string, string] => [text, text]),
  ]
  expect(await replaced(pairs.map(([text]) => text))).toEqual(pairs.map(([, text]) => text))
})

test('long hostile texts take linear time', async () => {
  const output = await php(String.raw`
    $begun = microtime(true);
    foreach ([str_repeat('\\', 400000), str_repeat('/', 400000), str_repeat('a:1:{i:0;', 40000) . '}', str_repeat('s:9:"', 80000) . ';', 'a:99999999:{' . str_repeat('i:0;', 100000) . '}', str_repeat('//old.localhost:808', 20000)] as $text) $r->text($text);
    echo microtime(true) - $begun < 10 ? 'fast' : microtime(true) - $begun;`)
  expect(output).toBe('fast')
})
