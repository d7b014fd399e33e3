import { expect, test } from 'vitest'
import { simulatedEc2 } from '#server/providers/simulator/simulated-ec2.ts'
import { simulatedHetzner } from '#server/providers/simulator/simulated-hetzner.ts'
import { simulatedStripe } from '#server/providers/simulator/stripe/simulated-stripe.ts'
import { ec2Judge } from './ec2-judge.ts'
import { openApiJudge } from './openapi-judge.ts'
import { s3Judge } from './s3-judge.ts'
import { stripeJudge } from './stripe-judge.ts'
import { stripeKeys } from './stripe-under-test.ts'

const headers = { authorization: 'Bearer token' }
const order = { name: 'web', server_type: 'cx23', location: 'fsn1', image: 'ubuntu-24.04' }

test('a misspelled or wrong property of a request or an answer is found, at any depth', async () => {
  const vendor = simulatedHetzner({ tokens: { token: 'full' }, now: Date.now })
  const judge = openApiJudge('hetzner')
  const create = { method: 'POST', path: '/servers', headers, body: JSON.stringify(order) }
  const created = (await vendor.respond(create, null)) ?? { status: 404, body: {} }
  expect(judge(create, created)).toBeNull()
  const changes = [{ lables: {} }, { labels: { a: '-' } }, { user_data: 1 }, { public_net: { enable_ip4: true } }]
  for (const change of changes)
    expect(judge({ ...create, body: JSON.stringify({ ...order, ...change }) }, created)).toMatch(/^body of POST/)

  const list = { method: 'GET', path: '/servers?page=1', headers, body: '' }
  const listed = (await vendor.respond(list, null)) as { status: number; body: { servers: object[]; meta: object } }
  expect(judge(list, listed)).toBeNull()
  const [server] = listed.body.servers
  for (const change of [{ status: 'odd' }, { datacenter: {} }, { public_net: {} }, { image: { id: 1 } }])
    expect(judge(list, { status: 200, body: { ...listed.body, servers: [{ ...server, ...change }] } })).toMatch(
      /^200 of/,
    )
  expect(judge({ ...list, path: '/servers?label=a' }, listed)).toMatch(/^query of/)
  expect(judge({ ...list, path: '/servers?page=one' }, listed)).toMatch(/^query of/)
  expect(judge({ ...list, path: '/machines' }, listed)).toMatch(/not described/)
})

test('an unknown or wrong parameter or field of Stripe is found, at any depth', async () => {
  const vendor = simulatedStripe({ ...stripeKeys, now: Date.now })
  const judge = stripeJudge()
  const stripe = { authorization: `Bearer ${stripeKeys.secretKey}` }
  const request = (method: string, path: string, body = '') => ({ method, path, headers: stripe, body })
  const answerTo = async (sent: ReturnType<typeof request>) =>
    (await vendor.respond(sent, null)) ?? { status: 0, body: {} }
  const create = request('POST', '/v1/customers', 'email=ada%40acme.example&address[city]=Ulm')
  const created = await answerTo(create)
  expect(judge(create, created)).toBeNull()
  const judged = (path: string, body: string) => judge(request('POST', path, body), created)
  expect(judged('/v1/customers', 'emial=x')).toMatch(/^body of POST/)
  expect(judged('/v1/customers', 'address[town]=Ulm')).toMatch(/^body of POST/)
  expect(judged('/v1/subscriptions', 'customer=c&items[0][prize]=p')).toMatch(/^body of POST/)
  expect(judged('/v1/setup_intents', 'payment_method_types[0]=card')).toMatch(/^body of POST/)
  expect(judged('/v1/test_helpers/test_clocks', 'frozen_time=soon')).toMatch(/^body of POST/)
  for (const change of [{ balance: '0' }, { adress: null }, { invoice_settings: {} }])
    expect(judge(create, { ...created, body: { ...(created.body as object), ...change } })).toMatch(/^200 of/)
  const list = request('GET', '/v1/customers?limit=3&created[gte]=1&expand[0]=data.tax_ids')
  expect(judge(list, await answerTo(list))).toBeNull()
  for (const query of ['limits=3', 'created[from]=1', 'limit=many'])
    expect(judge({ ...list, path: `/v1/customers?${query}` }, await answerTo(list))).toMatch(/^query of/)
  // The vendor's own refusal, in its form.
  const refused = await answerTo(request('POST', '/v1/customers', 'emial=x'))
  expect([refused.status, judge(create, refused)]).toEqual([400, null])
})

test('an unknown parameter or field of EC2 is found', async () => {
  const judge = ec2Judge()
  const request = (parameters: object) => ({
    method: 'POST',
    path: '/',
    headers: {},
    body: new URLSearchParams({ Action: 'DescribeInstanceTypes', Version: '2016-11-15', ...parameters }).toString(),
  })
  const answer = (fields: string) => ({
    status: 200,
    type: 'text/xml',
    body: `<DescribeInstanceTypesResponse><requestId>1</requestId>${fields}</DescribeInstanceTypesResponse>`,
  })
  const item = (fields: string) => answer(`<instanceTypeSet><item>${fields}</item></instanceTypeSet>`)
  const right = request({ 'Filter.1.Name': 'bare-metal', 'Filter.1.Value.1': 'false', MaxResults: '100' })
  expect(judge(right, item('<bareMetal>false</bareMetal>'))).toBeNull()
  for (const wrong of [{ 'Filter.1.Values.1': 'x' }, { 'Filter.Name': 'x' }, { MaxResult: '1' }, { MaxResults: 'all' }])
    expect(judge(request(wrong), item(''))).toMatch(/^DescribeInstanceTypes/)
  for (const wrong of ['<bareMetal>no</bareMetal>', '<BareMetal>false</BareMetal>', '<vCpuInfo>2</vCpuInfo>'])
    expect(judge(right, item(wrong))).toMatch(/^DescribeInstanceTypes/)
  const refused = await simulatedEc2({ keys: [], now: Date.now }).respond(right, null)
  expect(refused && judge(right, refused)).toBeNull()
  expect(judge(right, { status: 400, type: 'text/xml', body: '<Error/>' })).toMatch(/not an error/)
})

test('an unknown parameter, header or field of S3 is found', () => {
  const judge = s3Judge()
  const request = (path: string, more: { method?: string; headers?: Record<string, string>; body?: string } = {}) => ({
    ...{ method: 'GET', path, headers: {}, body: '', ...more },
  })
  const answer = (fields: string) => ({ status: 200, type: 'application/xml', body: fields })
  const list = request('/backups?list-type=2&prefix=a&max-keys=10')
  const listed = (fields: string) => answer(`<ListBucketResult>${fields}</ListBucketResult>`)
  expect(judge(list, listed('<KeyCount>1</KeyCount><Contents><Key>a</Key><Size>1</Size></Contents>'))).toBeNull()
  for (const path of ['/backups?list-type=2&prefixes=a', '/backups?list-type=2&max-keys=all', '/backups?lists'])
    expect(judge(request(path), listed(''))).not.toBeNull()
  for (const wrong of ['<Keys>1</Keys>', '<Contents><key>a</key></Contents>', '<IsTruncated>no</IsTruncated>'])
    expect(judge(list, listed(wrong))).toMatch(/^ListObjectsV2/)
  const part = '/backups/a?partNumber=1&uploadId=u'
  const put = (headers: Record<string, string>) => request(part, { method: 'PUT', headers })
  expect(judge(put({ 'x-amz-checksum-sha256': 'x' }), { ...answer(''), headers: { etag: '"x"' } })).toBeNull()
  expect(judge(put({ 'x-amz-checksum-sha257': 'x' }), answer(''))).toMatch(/^UploadPart: x-amz/)
  expect(judge(put({}), { ...answer(''), headers: { 'x-amz-checksums': 'x' } })).toMatch(/^UploadPart/)
  expect(judge(request('/backups/a', { method: 'DELETE' }), answer(''))).toMatch(/^DeleteObject: 200 instead of 204/)
  expect(judge(list, { status: 403, type: 'application/xml', body: '<Denied/>' })).toMatch(/not an error/)
})
