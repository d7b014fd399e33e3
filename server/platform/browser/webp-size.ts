/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Reads the size of a WebP image from its header (RFC 9649); null if it is not WebP or is truncated. Nothing is decoded. */
export function webpSize(content: Uint8Array): ImageSize | null {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP')
    return null
  // The length counts the bytes after it; chunks have an even number of bytes.
  if (bytes.readUInt32LE(4) + 8 !== bytes.length) return null
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return bytes.readUIntBE(23, 3) === 0x9d012a
        ? { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
        : null
    case 'VP8L': {
      if (bytes[20] !== 0x2f) return null
      const packed = bytes.readUInt32LE(21)
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return null
  }
}
