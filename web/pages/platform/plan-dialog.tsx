import { PlanDoctype, type PlanDoc } from '#shared/doctypes/plan.ts'
import { FormField } from '#web/documents/form/form-field.tsx'
import { doctypeForm, type FormValues } from '#web/documents/form/form-state.ts'
import { useForm } from '#web/documents/form/use-form.ts'
import { updateDoc } from '#web/lib/api/api.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { EditDialog } from './edit-dialog.tsx'
import { t } from './messages.ts'

/** Fields the dialog reads. */
export const planFields = [
  'name',
  'plan_name',
  'site_limit',
  'server_limit',
  'plan_cost',
  'currency',
  'features',
  'modified',
] as const

/** The fields of a plan needed here. */
export type EditedPlan = Pick<PlanDoc, (typeof planFields)[number]>

const form = doctypeForm(PlanDoctype, ['site_limit', 'server_limit', 'plan_cost', 'currency', 'features'])

/** Stored values of the input: an empty price means "on request", an empty limit means none. */
export function planValues(values: FormValues): Record<string, unknown> {
  const number = (name: string): number | null => {
    const text = String(values[name] ?? '').trim()
    return text === '' ? null : Number(text)
  }
  return {
    site_limit: number('site_limit') ?? 0,
    server_limit: number('server_limit') ?? 0,
    plan_cost: number('plan_cost'),
    currency: values['currency'],
    features: String(values['features'] ?? '').trim() || null,
  }
}

/** Limits, price and features of a plan. Changes apply immediately to every organization on it. */
export function PlanDialog({
  plan,
  onClose,
  onSaved,
}: {
  plan: EditedPlan
  onClose: () => void
  onSaved: () => Promise<void>
}) {
  const { organization, refreshSubscription } = useSession()
  const control = useForm(form, {
    initial: {
      site_limit: String(plan.site_limit ?? 0),
      server_limit: String(plan.server_limit ?? 0),
      plan_cost: plan.plan_cost === null ? '' : String(plan.plan_cost),
      currency: plan.currency,
      features: plan.features ?? '',
    },
    save: async (_payload, values) => {
      await updateDoc('Plan', plan.name, { ...planValues(values), modified: plan.modified })
      showToast({ title: t('plans.saved', { plan: plan.plan_name }), variant: 'success' })
      if (organization) await refreshSubscription()
      await onSaved()
    },
  })
  return (
    <EditDialog
      control={control}
      title={t('plans.edit_title', { plan: plan.plan_name })}
      hint={t('plans.edit_hint')}
      save={t('plans.save')}
      onClose={onClose}
    >
      <div className="grid gap-4 md:grid-cols-2">
        <FormField control={control} name="site_limit" />
        <FormField control={control} name="server_limit" />
        <FormField control={control} name="plan_cost" />
        <FormField control={control} name="currency" />
      </div>
      <FormField control={control} name="features" />
    </EditDialog>
  )
}
