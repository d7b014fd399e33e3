import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

// What it saves is in `tests/bench/memory-after-load.bench.ts`.
test('V8 knows the option, about which it only complains in the terminal', async () => {
  const module = JSON.stringify(new URL('./heap-growth.ts', import.meta.url).href)
  const code = `import { limitHeapGrowth } from ${module}; limitHeapGrowth(); console.log('set')`
  const said = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code])
  expect(said).toEqual({ stdout: 'set\n', stderr: '' })
})
