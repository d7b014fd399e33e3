/**
 * The cost of any Node server on this machine, the baseline of the API's figures: responds with JSON without processing, and
 * on `POST` computes one password hash first. Forked by benchmarks; sends its port.
 */
import { argon2, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

process.once('disconnect', () => process.exit(0))

const message = Buffer.from('quiet harbour')
const server = createServer((request, response) => {
  const answer = () =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ message: 'somebody' }))
  if (request.method !== 'POST') return void answer()
  request.resume()
  const parameters = { message, nonce: randomBytes(16), memory: 65_536, passes: 3, parallelism: 1, tagLength: 32 }
  argon2('argon2id', parameters, (error) => (error ? response.destroy(error) : answer()))
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
