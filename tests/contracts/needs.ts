import { it, type TestContext } from 'vitest'
import { capabilityNames, type CapabilityName, type Engine, type EngineFacets } from '#server/engines/engine.ts'
import { capabilitiesOf, type WithFacets } from '#server/engines/facets.ts'
import { thisMachine, type ServerRef } from '#server/engines/site-ref.ts'

/** An engine as tests see it, which use a facet only if it can what `needs` or `can` says. */
export type TestedEngine = WithFacets<Exclude<keyof EngineFacets, 'host' | 'events' | 'quotas'>>

/** Capabilities that no method of the contract depends on, and those that every engine has here. */
const ungated = ['create_wp', 'create_html', 'multisite_subdomains'] as const satisfies readonly CapabilityName[]

/** A capability that tests can need. */
export type GatedCapability = Exclude<CapabilityName, (typeof ungated)[number]>

/** All of them. */
export const gatedCapabilities: readonly GatedCapability[] = capabilityNames.filter(
  (name): name is GatedCapability => !ungated.some((other) => other === name),
)

/** What a simulated server has, and a real one may lack. */
export type TestPart = 'lets_encrypt' | 'test_directory'

let server: ServerRef = thisMachine
let domain: string | null = null
let lacking: Readonly<Partial<Record<TestPart, string>>> = {}

/** The server that the engine of this file is tested on. */
export const testedServer = (): ServerRef => server

/** A full domain for tests. On a real server it is below the one that leads there. */
export const testedDomain = (label: string, otherwise = 'example'): string => `${label}.${domain ?? otherwise}`

/** Tests run on another server from now on. `below`: the domain of its sites; `without`: why parts of tests are not possible there. */
export function testOn(other: ServerRef, below: string | null = null, without: typeof lacking = {}): void {
  server = other
  domain = below
  lacking = without
}

const isPart = (name: CapabilityName | TestPart): name is TestPart =>
  name === 'lets_encrypt' || name === 'test_directory'

/** Why the engine lacks one of the capabilities, or its server a part of tests; null if they have all. */
function reasonWithout(engine: Engine, ...names: readonly (CapabilityName | TestPart)[]): string | null {
  for (const name of names) {
    if (isPart(name)) {
      const reason = lacking[name]
      if (reason !== undefined) return reason
      continue
    }
    const capability = capabilitiesOf(engine, server)[name]
    if (!capability.supported) return capability.reason
  }
  return null
}

/** Whether the engine has the capabilities: for a part of a test that makes sense without them. */
export const can = (engine: Engine, ...names: readonly GatedCapability[]): boolean =>
  reasonWithout(engine, ...names) === null

/** A test that is skipped at run time. */
type Work<T extends unknown[]> = (...given: T) => unknown

/**
 * Like `it`, for tests that need capabilities: skipped with the reason of the engine if it lacks one. That is known only while tests
 * run, because the engine starts before them. What it must do instead is in `refusals.contract.ts`.
 */
export function needs(under: () => { readonly engine: Engine }, ...names: readonly (GatedCapability | TestPart)[]) {
  const test = (title: string, work: Work<[TestContext]>, timeout?: number): void => {
    it(
      `${title}`,
      async (context) => {
        const reason = reasonWithout(under().engine, ...names)
        if (reason !== null) context.skip(reason)
        await work(context)
      },
      timeout,
    )
  }
  /** One test for each of the values, which ends its title. */
  const each =
    <T extends string>(values: readonly T[]) =>
    (title: string, work: Work<[T]>): void => {
      for (const value of values) test(`${title}: ${value}`, () => work(value))
    }
  return Object.assign(test, { each })
}
