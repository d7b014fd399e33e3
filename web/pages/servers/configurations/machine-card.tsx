import { useState } from 'react'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { machineName } from '#shared/rules/machine-names.ts'
import type { MachineType } from '#shared/responses/servers.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { DetailList } from '#web/ui/detail-list.tsx'
import { MachineChoice } from '../create/machine-choice.tsx'
import { monthlyPrice } from '../create/machines.ts'
import { useMachineTypes } from '../create/use-offers.ts'
import { serverPrice } from '../server-price.ts'
import { t } from './messages.ts'
import { OperationDialog } from './operation-dialog.tsx'

/** The rented machine: its size, and an image of it. */
export function MachineCard({ server }: { server: Server }) {
  const [choosing, setChoosing] = useState(false)
  const doc = { ...server, doctype: 'Server' }
  const { monthly } = serverPrice(server)
  return (
    <Card aria-label={t('machine.title')}>
      <CardHead title={t('machine.title')} />
      <CardBody className="grid gap-3">
        <DetailList
          details={[
            { label: t('machine.type'), value: machineName(server.cloud_provider, server.vm_type ?? '') },
            ...(monthly === null ? [] : [{ label: t('machine.price'), value: monthly }]),
          ]}
        />
        <div className="flex flex-wrap gap-2">
          <ActionButton type={ServerDoctype} doc={doc} name="resize" size="md" onStart={() => setChoosing(true)} />
          <ActionButton type={ServerDoctype} doc={doc} name="snapshot" size="md" />
        </div>
      </CardBody>
      {choosing ? <ResizeDialog server={server} onClose={() => setChoosing(false)} /> : null}
    </Card>
  )
}

const gigabyte = 1024 ** 3

function ResizeDialog({ server, onClose }: { server: Server; onClose: () => void }) {
  const { cloud_provider, vm_region: region, vm_ebs_size: disk, connection } = server
  const offered = useMachineTypes({ cloud_provider: cloud_provider ?? '', region: region ?? '', connection })
  const now = offered.data?.find(({ name }) => name === server.vm_type)
  const data = offered.data?.map((machine) => ({
    ...machine,
    // It keeps the one that was ordered with it.
    disk: machine.disk ?? (disk ?? 0) * gigabyte,
    ...refusal(machine, now),
  }))
  return (
    <OperationDialog server={server} name="resize" wide onClose={onClose}>
      {(control) => (
        <MachineChoice
          control={control}
          machines={{ ...offered, data }}
          provider={cloud_provider ?? ''}
          region={region ?? ''}
          note={(machine) => (now === undefined ? null : priceDifference(machine, now))}
        />
      )}
    </OperationDialog>
  )
}

/** Why a server can't have a machine; nothing if it can. Its disk is kept, which can't get smaller or work with another processor. */
function refusal(machine: MachineType, now: MachineType | undefined): Partial<MachineType> {
  if (machine.name === now?.name) return { available: false, reason: t('machine.current') }
  if (!machine.available || now === undefined) return {}
  if (machine.architecture !== now.architecture) return { available: false, reason: t('machine.other_processor') }
  // Disks that are chosen with the machine stay as they are.
  if ((machine.disk ?? Infinity) >= (now.disk ?? 0)) return {}
  return { available: false, reason: t('machine.smaller_disk') }
}

/** What it costs more or less than now; null if a price is not known. */
function priceDifference(
  { price_monthly: price, currency }: MachineType,
  { price_monthly: before, currency: currencyBefore }: MachineType,
): string | null {
  if (price === null || before === null || currency !== currencyBefore) return null
  const difference = price - before
  const text = monthlyPrice({ price_monthly: Math.abs(difference), currency })
  if (text === null) return null
  if (difference === 0) return t('machine.same')
  return t(difference > 0 ? 'machine.more' : 'machine.less', { price: text })
}
