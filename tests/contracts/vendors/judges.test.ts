import { expect, test } from 'vitest'
import { simulatedEc2 } from '#server/providers/simulator/simulated-ec2.ts'
import { simulatedHetzner } from '#server/providers/simulator/simulated-hetzner.ts'
import { ec2Judge } from './ec2-judge.ts'
import { openApiJudge } from './openapi-judge.ts'

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
