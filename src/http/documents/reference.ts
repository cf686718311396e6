import type { OpenApiDocument } from './openapi.ts'
export const referencePage = (document: OpenApiDocument): string => `<!doctype html><title>${document.info.title}</title>`
