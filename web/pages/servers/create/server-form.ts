import { ServerDoctype } from '#shared/doctypes/server.ts'
import { data, int } from '#shared/fields.ts'
import { checkForm, type FormDescription, type FormErrors, type FormValues } from '#web/documents/form/form-state.ts'
import { t } from './messages.ts'

/** The steps, by their hash in the address (docs/contracts/screens.md, section 2). */
export const steps = ['general-info', 'machine-options'] as const

/** A step of the form. */
export type Step = (typeof steps)[number]

const { fields } = ServerDoctype

/** Fields of machines that are rented from a provider, and of those that exist already. */
const rented: readonly string[] = ['connection', 'vm_country', 'vm_region', 'vm_type', 'vm_ebs_size']
const own: readonly string[] = ['public_ipv4', 'ssh_user', 'ssh_port', 'host_key']

/** Fields of each step, in order. */
export const stepFields = {
  'general-info': [
    'hostname',
    'server_category',
    'cloud_provider',
    'connection',
    'vm_country',
    'vm_region',
    'public_ipv4',
    'ssh_user',
    'ssh_port',
  ],
  'machine-options': ['vm_type', 'vm_ebs_size', 'host_key'],
} as const satisfies Record<Step, readonly string[]>

/** The creation form: what a server is ordered or connected with. */
export const serverForm: FormDescription = {
  fields: {
    ...fields,
    hostname: { ...fields.hostname, label: 'Name' },
    connection: data({ reqd: true, label: 'Account' }),
    vm_country: { ...fields.vm_country, reqd: true, label: 'Country' },
    vm_region: { ...fields.vm_region, reqd: true, label: 'Region' },
    vm_type: { ...fields.vm_type, reqd: true, label: 'Machine' },
    vm_ebs_size: { ...fields.vm_ebs_size, reqd: true, label: 'Disk size' },
    public_ipv4: { ...fields.public_ipv4, reqd: true, label: 'IPv4 address' },
    ssh_user: data({ reqd: true, format: 'username', default: 'root', label: 'User' }),
    ssh_port: int({ reqd: true, default: 22, min: 1, max: 65_535, label: 'SSH port' }),
    host_key: data({ reqd: true, length: 1000, label: 'Fingerprint' }),
  },
  names: [...stepFields['general-info'], ...stepFields['machine-options']],
  missing: {
    connection: t('create.connection_missing'),
    vm_country: t('create.country_missing'),
    vm_region: t('create.region_missing'),
    vm_type: t('create.machine_missing'),
    host_key: t('create.host_key_missing'),
  },
  hidden: (name, { cloud_provider: provider }) =>
    (provider === 'Custom' ? rented : own).includes(name) || (name === 'vm_ebs_size' && provider !== 'AWS'),
}

/** Errors of the first step, without which the second one has nothing to ask. */
export function firstStepErrors(values: FormValues): FormErrors {
  const names: readonly string[] = stepFields['general-info']
  return Object.fromEntries(Object.entries(checkForm(serverForm, values)).filter(([name]) => names.includes(name)))
}

/** Whether a server error is about a field of the first step. */
export const isOfFirstStep = (field: string | null): boolean =>
  stepFields['general-info'].some((name) => name === field)

/** Where the values are kept until the server is created. */
export const draftKey = 'server-create'
