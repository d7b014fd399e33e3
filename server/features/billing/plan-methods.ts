import * as z from 'zod/mini'
import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import { changeTimes } from '#shared/doctypes/subscription-organization.ts'
import { data } from '#shared/fields.ts'
import { planChange, planPreview, subscriptionStatus } from '#shared/responses/billing.ts'
import { planNames } from '#shared/rules/plans.ts'
import { admitOwner, organizationOf } from './subscription-status.ts'

/** The subscription's actions as methods for the chosen organization. Permissions are declared with the actions. */
export function planMethods(): Method[] {
  const run = (action: string, params: object, context: MethodContext) =>
    context.documents.runAction(context.session, 'Subscription Organization', organizationOf({}, context), action, {
      ...params,
    })
  const act = (action: string) => async (params: object, context: MethodContext) =>
    z.parse(planChange, await run(action, params, context))
  return [
    defineMethod({
      name: 'easydash.api.billing.change_plan',
      access: 'verified',
      verbs: ['POST'],
      description:
        'Changes the plan of the chosen organization, at once or at the end of the period. A smaller plan than what is in use is allowed: everything stays, `exceeded` says how many are too many, and nothing new can be created. For the owner.',
      admit: admitOwner,
      params: planParams,
      returns: planChange,
      run: act('change_plan'),
    }),
    defineMethod({
      name: 'easydash.api.billing.cancel_plan',
      access: 'verified',
      verbs: ['POST'],
      description:
        'Cancels the plan: it holds until `cancelation_date`, then the organization is on Free. For the owner.',
      returns: planChange,
      run: act('cancel_plan'),
    }),
    defineMethod({
      name: 'easydash.api.billing.reactivate_plan',
      access: 'verified',
      verbs: ['POST'],
      description: 'Reverts a cancellation. Only for the owner.',
      returns: planChange,
      run: act('reactivate_plan'),
    }),
    defineMethod({
      name: 'easydash.api.billing.undo_plan',
      access: 'verified',
      verbs: ['POST'],
      description: 'Takes back a scheduled plan. For the owner.',
      returns: planChange,
      run: act('undo_plan'),
    }),
    defineMethod({
      name: 'easydash.api.billing.preview_plan',
      access: 'verified',
      verbs: ['POST'],
      description:
        'What a change of plan would cost now and later, and how many sites and servers would be too many. Changes nothing. For the owner.',
      admit: admitOwner,
      params: planParams,
      returns: planPreview,
      run: async (params, context) => z.parse(planPreview, await run('preview_plan', params, context)),
    }),
    defineMethod({
      name: 'easydash.api.billing.refresh',
      access: 'verified',
      verbs: ['POST'],
      description: 'Reads the plan, its payment, cards and invoices from the payment provider again. For the owner.',
      returns: subscriptionStatus,
      run: async (_params, context) => z.parse(subscriptionStatus, await run('refresh', {}, context)),
    }),
  ]
}

const planParams = {
  plan: data({ description: `Required: ${planNames.join(', ')}.` }),
  when: data({ description: `${changeTimes.join(' or ')}. Default: now.` }),
}
