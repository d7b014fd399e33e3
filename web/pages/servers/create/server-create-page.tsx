import { ArrowRight } from 'lucide-react'
import { useEffect, useEffectEvent, useId, useRef } from 'react'
import { DocForm, DraftNote, focusFirstError, FormFailure } from '#web/documents/form/form.tsx'
import type { FormControl } from '#web/documents/form/use-form.ts'
import { Navigate } from '#web/lib/routing/router.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'
import { PageHead, StickyAction } from '#web/ui/page-head.tsx'
import { ServersOff } from '../servers-off.tsx'
import { ChosenCard } from './chosen-card.tsx'
import { GeneralInfo } from './general-info.tsx'
import { MachineChoice } from './machine-choice.tsx'
import { t } from './messages.ts'
import { OrganizationKeys } from './organization-keys.tsx'
import { OwnMachineChecks } from './own-machine.tsx'
import type { Step } from './server-form.ts'
import { ServerSummary, type ServerPrice } from './server-summary.tsx'
import { StepLine } from './step-line.tsx'
import { useServerCreate } from './use-server-create.ts'

/** Creates a server in two steps, then opens its page with the job's drawer. */
export function ServerCreatePage() {
  return useSession().modules.ee ? <ServerCreate /> : <ServersOff />
}

function ServerCreate() {
  const formId = useId()
  const { connections, metadata, machines, settings, checks, ...state } = useServerCreate()
  const { step, control, vendor, notReady, chosen, price } = state
  const heading = useStepFocus(step, control)
  if (state.isTooEarly) return <Navigate replace to="/server/create#general-info" />

  const submit = { type: 'submit', form: formId, busy: control.busy, disabled: notReady !== null } as const
  return (
    <>
      <PageHead title={t('create.title')} subtitle={<DraftNote control={control} />}>
        <StepLine current={step} />
      </PageHead>
      <div className="grid items-start gap-8 xl:grid-cols-[minmax(0,1fr)_320px]">
        <DocForm id={formId} control={control} label={t('create.title')} className="grid min-w-0 gap-5">
          <h2 ref={heading} tabIndex={-1} className="sr-only">
            {t(`create.${step}`)}
          </h2>
          {step === 'general-info' ? (
            <GeneralInfo control={control} vendor={vendor} connections={connections} metadata={metadata} />
          ) : (
            <>
              <ChosenCard control={control} chosen={chosen} />
              {vendor === null ? (
                <OwnMachineChecks control={control} checks={checks} />
              ) : (
                <MachineChoice control={control} machines={machines} provider={vendor} region={chosen.region} />
              )}
              <OrganizationKeys organization={settings} />
            </>
          )}
          <FormFailure control={control} />
        </DocForm>
        <ServerSummary control={control} step={step} chosen={chosen} price={price}>
          <div className="grid gap-2 max-md:hidden">
            <Button {...submit} variant="primary" block>
              <SubmitLabel step={step} price={price} />
            </Button>
            {notReady === null ? null : <p className="text-center text-meta text-muted">{notReady}</p>}
          </div>
        </ServerSummary>
      </div>
      <StickyAction>
        {notReady === null ? null : <p className="basis-full! text-meta text-muted">{notReady}</p>}
        {price ? (
          <p className="flex-none! pr-4 leading-4.5">
            <span className="font-semibold">
              {price.isLowest ? t('create.from_price', { price: price.monthly }) : price.monthly}
            </span>
            <span className="block text-meta text-muted">{t('create.per_month')}</span>
          </p>
        ) : null}
        <Button {...submit} variant="primary">
          {t(step === 'general-info' ? 'create.continue_short' : 'create.submit')}
        </Button>
      </StickyAction>
    </>
  )
}

function SubmitLabel({ step, price }: { step: Step; price: ServerPrice | null }) {
  if (step === 'machine-options')
    return price === null || price.isLowest ? t('create.submit') : t('create.submit_price', { price: price.monthly })
  return (
    <>
      {t('create.continue')}
      <ArrowRight size={16} strokeWidth={1.75} aria-hidden="true" />
    </>
  )
}

/** Shows a step that the user went to from its top, and focuses its heading, or the field that the server rejected. */
function useStepFocus(step: Step, control: FormControl) {
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = useRef(step)
  const arrive = useEffectEvent(() => {
    if (shown.current === step) return
    shown.current = step
    window.scrollTo(0, 0)
    const form = heading.current?.closest('form')
    if (!form || !focusFirstError(form, control)) heading.current?.focus({ preventScroll: true })
  })
  useEffect(() => arrive(), [step])
  return heading
}
