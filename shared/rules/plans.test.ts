import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planNames } from '../doctypes/organization.ts'
import { defaultPlans, hasRoom, limitsOf, limitState, planNamed } from './plans.ts'

test('every plan name has a plan, in the same order', () => {
  expect(defaultPlans.map((plan) => plan.name)).toEqual([...planNames])
})

test("limits are the plan's unless the platform admin granted others", () => {
  expect(limitsOf('Free', { site: null, server: null })).toEqual({ site: 3, server: 1 })
  expect(limitsOf('Starter', { site: '5', server: null })).toEqual({ site: 5, server: 2 })
  expect(limitsOf('Starter', { site: '0', server: '-1' })).toEqual({ site: 0, server: -1 })
  expect(limitsOf('Starter', { site: 'lots', server: '' })).toEqual({ site: 10, server: 2 })
  expect(planNamed('Gold').name).toBe('Free')
})

test('reached at the limit, exceeded above it, neither without a limit', () => {
  expect(limitState(3, 3)).toEqual({ reached: true, exceeded: false })
  expect(limitState(4, 3)).toEqual({ reached: false, exceeded: true })
  expect(limitState(2, 3)).toEqual({ reached: false, exceeded: false })
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom(0, -1), (usage, limit) => {
      expect(limitState(usage, limit)).toEqual({ reached: false, exceeded: false })
      expect(hasRoom(usage, limit)).toBe(true)
    }),
  )
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1 }), (usage, limit) => {
      const { reached, exceeded } = limitState(usage, limit)
      expect(hasRoom(usage, limit)).toBe(!reached && !exceeded)
      expect(reached && exceeded).toBe(false)
    }),
  )
})
