/** Runs one attack as the user this process was started as, and sends what the attacker got. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SandboxKind } from '#server/engines/local/sandbox/sandbox.ts'
import { attackSite } from './attack-scenario.ts'

const cache = await mkdtemp(join(tmpdir(), 'cache-'))
process.env['EASYDASH_CACHE_DIR'] = cache
const outcome = await attackSite(process.argv[2] as SandboxKind, process.argv[3] ?? '')
await rm(cache, { recursive: true, force: true })
process.send?.(outcome, () => process.disconnect())
