import * as z from 'zod/mini'
import { awsHeaders, type AwsKeys } from '#server/platform/network/aws-signature.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { Ec2Action } from '#shared/rules/ec2-policy.ts'
import { ProviderError } from '../provider-error.ts'
import { collectPages, sendRequest, validated, type VendorApi, type VendorTransport } from '../vendor-api.ts'
import { awsFailure } from './aws-error.ts'
import { readEc2Xml } from './ec2-xml.ts'

/** EC2 (https://docs.aws.amazon.com/AWSEC2/latest/APIReference) for an account. */
export interface Ec2 {
  readonly account: AwsKeys
  /** The operator's, for all regions; null: the region's own. */
  readonly endpoint: string | null
  readonly transport: VendorTransport
}

/** Any region knows all regions; this one needs no opt-in. */
const mainRegion = 'us-east-1'

/** The API of a region for one action. */
export function regionApi({ account, endpoint, transport }: Ec2, region: string, action: Ec2Action): VendorApi {
  // It becomes part of a host name.
  if (!/^[a-z]{2,5}(?:-[a-z]{2,20}){1,3}-\d{1,2}$/.test(region))
    throw new AppError('invalid', msg`${region} is not a region of AWS.`, {
      nextAction: msg`Enter its short name, e.g. eu-central-1.`,
    })
  const form = 'application/x-www-form-urlencoded; charset=utf-8'
  const secrets = [account.accessKey, account.secretKey]
  return {
    transport,
    vendor: 'AWS',
    endpoint: endpoint ?? `https://ec2.${region}.amazonaws.com`,
    secrets,
    headers: ({ method, url, body }) =>
      awsHeaders(
        { method, url, region, service: 'ec2', headers: { 'content-type': form }, body },
        account,
        new Date(transport.now()),
      ),
    failureOf: (response) =>
      awsFailure('AWS', response, transport.now(), {
        secrets,
        nextActions: { wrong_scope: msg`Allow the key EC2, with ${`ec2:${action}`} among its actions.` },
      }),
  }
}

type Ec2Parameter = string | readonly Ec2Parameter[] | { readonly [name: string]: Ec2Parameter }

export type Ec2Parameters = Readonly<Record<string, Ec2Parameter>>

export interface Ec2Request {
  readonly action: Ec2Action
  readonly region: string
  readonly parameters?: Ec2Parameters
  /** Default 5: reads are POST requests as well, and most others can be repeated. */
  readonly tries?: number
  readonly maxBytes?: number
  readonly signal?: AbortSignal | undefined
}

export async function askEc2<T>(ec2: Ec2, request: Ec2Request, schema: z.ZodMiniType<T>): Promise<T> {
  const { action, region, parameters = {}, tries = 5, ...options } = request
  const api = regionApi(ec2, region, action)
  const body = new URLSearchParams([['Action', action], ['Version', '2016-11-15'], ...flat('', parameters)]).toString()
  try {
    const response = await sendRequest(api, { ...options, method: 'POST', path: '/', body, tries })
    return validated(api, response, schema, readEc2Xml(response.body.toString('utf8')))
  } catch (error) {
    throw await explained(ec2, error, request)
  }
}

/** Names of nested parameters as the protocol writes them, e.g. `Filter.1.Value.2`. */
function flat(name: string, value: Ec2Parameter): [string, string][] {
  if (typeof value === 'string') return [[name, value]]
  const inside: [string, Ec2Parameter][] = Array.isArray(value)
    ? value.map((item: Ec2Parameter, at) => [String(at + 1), item])
    : Object.entries(value)
  return inside.flatMap(([part, one]) => flat(name === '' ? part : `${name}.${part}`, one))
}

/** The parameter `Filter`: all of them have to match, each with one of its values. */
export const filtersOf = (values: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(values).map(([name, value]) => ({ Name: name, Value: value }))

/** A region that is not enabled refuses every key as if it were wrong. */
async function explained(ec2: Ec2, error: unknown, { region, signal }: Ec2Request): Promise<unknown> {
  if (!(error instanceof ProviderError) || region === mainRegion) return error
  if (error.kind !== 'wrong_key' && error.vendorCode !== 'OptInRequired') return error
  if ((await describeRegions(ec2, { signal })).some(({ regionName }) => regionName === region)) return error
  return new ProviderError('wrong_scope', {
    vendor: 'AWS',
    status: error.status,
    vendorCode: error.vendorCode,
    message: msg`The region ${region} is not enabled in the account at AWS.`,
    nextAction: msg`Choose another region, or enable it in the AWS console under Account, AWS Regions.`,
    cause: error,
  })
}

export const text = z.string().check(z.maxLength(300))
export const wholeNumber = z.pipe(z.string().check(z.regex(/^\d{1,15}$/)), z.transform(Number))
export const nextToken = z.optional(z.string().check(z.maxLength(4000)))
/** An empty list is an empty element, which reads as a text. */
export const listOf = <T>(item: z.ZodMiniType<T>) =>
  z.pipe(
    z.union([z.literal(''), z.array(item)]),
    z.transform((list) => (list === '' ? [] : list)),
  )

const regionList = z.object({
  regionInfo: z.array(z.object({ regionName: text, optInStatus: z.optional(text) })).check(z.minLength(1)),
})

/** The account's regions; without parameters those that can be used. */
export async function describeRegions(
  ec2: Ec2,
  options: Omit<Ec2Request, 'action' | 'region'>,
): Promise<z.infer<typeof regionList>['regionInfo']> {
  return (await askEc2(ec2, { action: 'DescribeRegions', region: mainRegion, ...options }, regionList)).regionInfo
}

/** All items of a list with pages. */
export function askEc2Pages<P extends { nextToken?: string | undefined }, T>(
  ec2: Ec2,
  request: Ec2Request,
  schema: z.ZodMiniType<P>,
  itemsOf: (page: P) => readonly T[],
): Promise<T[]> {
  return collectPages(regionApi(ec2, request.region, request.action), '', async (cursor) => {
    const parameters = { ...request.parameters, ...(cursor !== '' && { NextToken: cursor }) }
    const page = await askEc2(ec2, { ...request, parameters }, schema)
    return { items: itemsOf(page), next: page.nextToken || null }
  })
}
