import { useLocation, useNavigate } from 'react-router'
import type { Server } from '#shared/doctypes/server.ts'
import { useForm } from '#web/documents/form/use-form.ts'
import { listedKeys } from '#web/features/organizations/ssh-keys.ts'
import { ApiError, toApiError } from '#web/lib/api/api-error.ts'
import { createDoc } from '#web/lib/api/api.ts'
import { useDoc } from '#web/lib/api/frappe.tsx'
import { hasReachedLimit } from '#web/lib/api/plan-limits.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { cheapestMachine, hourlyPrice, monthlyPrice } from './machines.ts'
import { t } from './messages.ts'
import { draftKey, firstStepErrors, isOfFirstStep, serverForm, stepFields, steps, type Step } from './server-form.ts'
import type { ChosenServer, ServerPrice } from './server-summary.tsx'
import { useConnections, type Vendor } from './use-connections.ts'
import { useMachineTypes, useProviderMetadata } from './use-offers.ts'
import { notReadyReason, useServerChecks } from './use-server-checks.ts'

/** The step in the address, and how to go to another one, so that Back leads to the one before. */
function useStep(): [Step, (step: Step) => void] {
  const { hash } = useLocation()
  const navigate = useNavigate()
  return [steps.find((step) => hash === `#${step}`) ?? 'general-info', (step) => void navigate({ hash: `#${step}` })]
}

const vendorOf = (provider: unknown): Vendor | null =>
  provider === 'Hetzner' || provider === 'DigitalOcean' || provider === 'AWS' ? provider : null

/** The form with its current step, what there is to choose from, and what is chosen. */
export function useServerCreate() {
  const { organization, subscription, refresh } = useSession()
  const navigate = useNavigate()
  const [step, goTo] = useStep()
  const create = async (values: Record<string, unknown>): Promise<void> => {
    let server: Server & { job?: string }
    try {
      server = await createDoc('Server', { ...values, organization: organization?.name })
    } catch (error) {
      // The rejected field is there.
      if (isOfFirstStep(toApiError(error).field)) goTo('general-info')
      throw error
    }
    // The plan's usage changed; the next page doesn't wait for it.
    void refresh()
    const job = server.job ?? server.locked_by_job
    void navigate(`/server/${encodeURIComponent(server.name)}${job ? `?job=${encodeURIComponent(job)}` : ''}`)
  }
  const control = useForm(serverForm, {
    draftKey,
    step: stepFields[step],
    save: async (payload) => {
      refuseUnready()
      if (step === 'machine-options') return await create(payload)
      goTo('machine-options')
      return 'next'
    },
  })
  const { values } = control
  /** A draft that is not complete, or was discarded. */
  const isTooEarly = step === 'machine-options' && Object.keys(firstStepErrors(values)).length > 0
  const vendor = vendorOf(values['cloud_provider'])
  const [region, connection] = [String(values['vm_region'] ?? ''), String(values['connection'] ?? '')]
  const connections = useConnections()
  const metadata = useProviderMetadata()
  const isPlaced = vendor !== null && region !== '' && connection !== ''
  const machines = useMachineTypes(isPlaced ? { cloud_provider: vendor, region, connection } : null)
  const settings = useDoc('Organization', organization?.name)
  const isChecked = vendor === null && step === 'machine-options' && !isTooEarly
  const checks = useServerChecks(isChecked ? values : null)
  const unchecked = isChecked ? notReadyReason(checks.data, values['host_key']) : null
  const notReady = hasReachedLimit(subscription, 'server')
    ? t('create.not_ready_limit')
    : step === 'general-info'
      ? null
      : (unchecked ?? (machines.error && !machines.data ? t('create.not_ready_machines') : null))
  // By keyboard a form can be submitted although its button is disabled.
  const refuseUnready = (): void => {
    if (notReady !== null) throw new ApiError(notReady, notReady === unchecked ? { field: 'host_key' } : {})
  }

  const machine = machines.data?.find(({ name }) => name === values['vm_type']) ?? null
  const priced = machine ?? (machines.data ? cheapestMachine(machines.data) : null)
  const monthly = priced && monthlyPrice(priced)
  const price: ServerPrice | null =
    priced && monthly ? { isLowest: machine === null, monthly, hourly: hourlyPrice(priced) } : null
  const offered = vendor === null ? undefined : metadata.data?.[vendor]
  const chosen: ChosenServer = {
    provider: vendor ?? 'Custom',
    account: connections.data?.find(({ name }) => name === connection)?.label ?? '',
    country: String(values['vm_country'] ?? ''),
    region: offered?.regions[region]?.region_description ?? region,
    machine: machine?.label ?? '',
    system: offered?.images[0] ?? '',
    keys: settings.data ? listedKeys(settings.data.default_authorized_keys).length : null,
  }
  const read = { connections, metadata, machines, settings, checks }
  return { ...read, step, isTooEarly, control, vendor, notReady, chosen, price }
}
