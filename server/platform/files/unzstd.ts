import { createZstdDecompress, type ZstdDecompress } from 'node:zlib'

/** Decompresses in larger pieces than by default: each one costs a way to another thread and back. */
export const unzstd = (): ZstdDecompress => createZstdDecompress({ chunkSize: 131_072 })
