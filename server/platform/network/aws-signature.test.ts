import { expect, test } from 'vitest'
import { awsHeaders, awsUrl } from './aws-signature.ts'

/** Keys and requests from AWS's documentation ("Signature calculations for the authorization header"). */
const keys = { accessKey: 'AKIAIOSFODNN7EXAMPLE', secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
const at = new Date('2013-05-24T00:00:00.000Z')
const sign = async (method: string, url: string, more: { headers?: Record<string, string>; body?: string } = {}) =>
  (await awsHeaders({ method, url: new URL(url), region: 'us-east-1', service: 's3', ...more }, keys, at))[
    'authorization'
  ]

test.each([
  [
    'get',
    sign('GET', 'https://examplebucket.s3.amazonaws.com/test.txt', { headers: { Range: 'bytes=0-9' } }),
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'put',
    sign('PUT', 'https://examplebucket.s3.amazonaws.com/test$file.text', {
      headers: { Date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      body: 'Welcome to Amazon S3.',
    }),
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    'a query without value',
    sign('GET', 'https://examplebucket.s3.amazonaws.com/?lifecycle'),
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'a query',
    sign('GET', 'https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J'),
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
])("signs as AWS's example does: %s", async (_name, header, signature) => {
  expect(await header).toContain(`Signature=${signature}`)
})

test("signs addresses as AWS's example does, with the headers that belong to them", async () => {
  const url = new URL('https://examplebucket.s3.amazonaws.com/test.txt')
  const request = { method: 'GET', url, region: 'us-east-1', service: 's3' } as const
  const signed = new URL(await awsUrl(request, keys, at, 86_400))
  expect(signed.searchParams.get('X-Amz-Signature')).toBe(
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  )
  const withSum = new URL(await awsUrl({ ...request, headers: { 'x-amz-checksum-sha256': 'AA==' } }, keys, at, 900))
  expect(withSum.searchParams.get('X-Amz-SignedHeaders')).toBe('host;x-amz-checksum-sha256')
  expect(withSum.href).not.toContain(keys.secretKey)
})
