# The image holds what `npm run build` writes and the packages it needs. Set from outside, as in production anywhere:
#   ENCRYPTION_KEY, JWT_SECRET   it refuses to start without them, and says which is missing
#   ADMIN_PASSWORD               for the first start, while there is no user yet
#   DATABASE_URL                 the PostgreSQL server
#   PUBLIC_URL                   the address payers see
# Without DATABASE_URL it starts its embedded PostgreSQL under DATA_DIR. That is for trying things out: one replica, and
# /data must be a volume this user (node, 1000) can write to, or everything is gone with the container.

FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN SCARF_ANALYTICS=false npm ci --no-audit --no-fund
COPY tsconfig.json nest-cli.json ormconfig.ts ./
COPY migrations migrations
COPY src src
RUN npm run build

FROM node:22-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN SCARF_ANALYTICS=false npm ci --omit=dev --no-audit --no-fund

FROM node:22-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
RUN mkdir /data && chown node:node /data
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--min-semi-space-size=16", "dist/src/main.js"]
