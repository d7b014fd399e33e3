import { errorRefs } from './errors.ts'
import { securityOf } from './operations.ts'

const text = (description: string, required = true) => ({
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
})
const version = { name: 'Tus-Resumable', ...text('1.0.0') }
const offset = { name: 'Upload-Offset', ...text('Bytes the server has; the part begins there.') }
const body = {
  content: {
    'application/offset+octet-stream': { schema: { type: 'string', format: 'binary' } },
  },
}
const failures = { ...errorRefs(), '412': { description: 'Another version of the protocol was requested.' } }

function operation(operationId: string, summary: string, responses: object, further: object = {}): object {
  return {
    operationId,
    tags: ['Uploads'],
    summary,
    security: securityOf('post', { guest: false, tokens: true }),
    parameters: [version],
    responses: { ...responses, ...failures },
    ...further,
  }
}

const finished = {
  description: 'The file is complete and was taken.',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: { message: { type: 'object', additionalProperties: true } },
        required: ['message'],
      },
    },
  },
}

/** Addresses of resumable uploads, in the OpenAPI document. */
export const uploadPaths = {
  '/api/uploads': {
    post: operation(
      'startUpload',
      'Start a large file that is sent in parts',
      { '200': finished, '201': { description: 'It began; the header Location has its address.' } },
      {
        description:
          'The tus protocol 1.0.0 with the extensions creation, creation-with-upload and termination (https://tus.io); its clients work unmodified.',
        parameters: [
          version,
          { name: 'Upload-Length', ...text('Bytes of the whole file.') },
          {
            name: 'Upload-Metadata',
            ...text('`kind` and `filename`, and what that kind of file needs; values in base64.'),
          },
        ],
        requestBody: body,
      },
    ),
  },
  '/api/uploads/{id}': {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    head: operation('seeUpload', 'How much has arrived', {
      '200': { description: 'Upload-Offset is what has arrived, Upload-Length the size of the file.' },
    }),
    patch: operation(
      'continueUpload',
      'Send a part',
      { '200': finished, '204': { description: 'Upload-Offset is what has arrived.' } },
      { parameters: [version, offset], requestBody: body },
    ),
    delete: operation('cancelUpload', 'Cancel an upload', { '204': { description: 'It is deleted.' } }),
  },
}
