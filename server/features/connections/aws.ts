import type { FetchResponse } from '#server/platform/network/fetch.ts'
import { awsHeaders } from '#server/platform/network/aws-signature.ts'
import { connectionFields } from '#shared/doctypes/connections.ts'
import { plural, msg } from '#shared/localized-message.ts'
import {
  limited,
  unexpectedResult,
  rejectedResult,
  successResult,
  type ConnectionTestResult,
  type ConnectionTest,
} from './connection-test.ts'

const form = new URLSearchParams({ Action: 'DescribeRegions', Version: '2016-11-15' }).toString()

const wrongKeys = [
  'AuthFailure',
  'InvalidAccessKeyId',
  'InvalidClientTokenId',
  'MissingAuthenticationToken',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
]
const wrongScopes = [
  'UnauthorizedOperation',
  'AccessDenied',
  'AllAccessDisabled',
  'OptInRequired',
  'Blocked',
  'PendingVerification',
]
const rateLimitCodes = ['RequestLimitExceeded', 'Throttling', 'SlowDown']

/** The error code of an XML response, or ''. Only the code is shown, because the message may repeat the access key. */
export function awsCode(response: FetchResponse): string {
  return /<Code>([A-Za-z.]{1,80})<\/Code>/.exec(response.body.toString('utf8'))?.[1] ?? ''
}

/** Interprets an error of EC2 or an S3 store. */
export function awsError(
  connectionTest: Pick<ConnectionTest, 'vendor'>,
  response: FetchResponse,
): ConnectionTestResult {
  const code = awsCode(response)
  if (rateLimitCodes.includes(code)) return limited(connectionTest, response)
  if (wrongKeys.includes(code))
    return { ...rejectedResult(connectionTest, { ...response, status: 401 }, code), status: response.status }
  if (wrongScopes.includes(code))
    return { ...rejectedResult(connectionTest, { ...response, status: 403 }, code), status: response.status }
  return rejectedResult(connectionTest, response, code)
}

/** Lists the account's EC2 regions. */
export const aws: ConnectionTest = {
  name: 'aws',
  vendor: 'AWS',
  fields: connectionFields.aws,
  required: ['aws_access_key', 'aws_secret_key'],
  async run(values, context) {
    const url = new URL(`${context.endpoints.awsEc2}/`)
    const headers = await awsHeaders(
      {
        method: 'POST',
        url,
        region: 'us-east-1',
        service: 'ec2',
        headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
        body: form,
      },
      { accessKey: values['aws_access_key'] ?? '', secretKey: values['aws_secret_key'] ?? '' },
      context.now(),
    )
    const response = await context.ask(url, { method: 'POST', headers, body: form })
    if (response.status !== 200) {
      const found = awsError(this, response)
      return found.outcome === 'wrong_scope'
        ? { ...found, advice: msg`Allow the key EC2, with ec2:DescribeRegions among its actions.` }
        : found
    }
    const regions = response.body.toString('utf8').match(/<regionName>/g)?.length ?? 0
    if (regions === 0) return unexpectedResult(this, response)
    const message = plural(
      regions,
      msg`The key works: ${regions} region can be used.`,
      msg`The key works: ${regions} regions can be used.`,
    )
    return successResult(message, response)
  },
}
