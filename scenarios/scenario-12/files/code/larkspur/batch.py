"""Prices of the coming season: a job computes one for each lane. Jobs are ordered over HTTP and worked on lane by lane, by as
many workers as the settings say, each with a connection of its own."""

import logging
import os
import threading
import time
import tomllib

import psycopg2
from flask import abort, jsonify, request
from psycopg2.extras import RealDictCursor

from . import admin, web
from .pool import Pool

log = logging.getLogger("larkspur.batch")


class Crew:
    """Workers are threads, numbered from 0; those whose number is not below the setting leave."""

    def __init__(self, size, poll_seconds, connection):
        self.size, self.poll, self.connection, self.lock, self.present = 0, poll_seconds, connection, threading.Lock(), set()
        self.resize(size)

    def resize(self, size):
        with self.lock:
            self.size = size
            for number in set(range(size)) - self.present:
                self.present.add(number)
                threading.Thread(target=self.work, args=(number,), daemon=True).start()

    def leaves(self, number):
        with self.lock:
            if number < self.size:
                return False
            self.present.discard(number)
            return True

    def work(self, number):
        connection = None
        while not self.leaves(number):
            try:
                if connection is None or connection.closed:
                    connection = psycopg2.connect(**self.connection)
                if not step(connection):
                    time.sleep(self.poll)
            except psycopg2.Error as error:
                log.error("worker without database", extra={"worker": number, "reason": str(error).strip()})
                connection = connection and connection.close()
                time.sleep(self.poll * 3)
        if connection is not None:
            connection.close()


def step(connection):
    """Prices one lane of the oldest job that is not complete."""
    with connection, connection.cursor(cursor_factory=RealDictCursor) as cursor:
        cursor.execute("""
            SELECT t.job_id, t.lane_id, l.cents_per_100kg, j.factor_permille
            FROM tasks t JOIN jobs j ON j.id = t.job_id JOIN lanes l ON l.id = t.lane_id
            ORDER BY t.job_id, t.lane_id LIMIT 1 FOR UPDATE OF t SKIP LOCKED""")
        task = cursor.fetchone()
        if task is None:
            return False
        price = (task["cents_per_100kg"] * task["factor_permille"] + 999) // 1000
        cursor.execute("DELETE FROM tasks WHERE job_id = %s AND lane_id = %s", (task["job_id"], task["lane_id"]))
        cursor.execute("INSERT INTO prices (job_id, lane_id, cents_per_100kg) VALUES (%s, %s, %s)", (task["job_id"], task["lane_id"], price))
    return True


def create_app(path="/etc/larkspur/batch.toml"):
    with open(path, "rb") as file:
        settings = tomllib.load(file)
    app = web.create("larkspur-batch")
    connection = {"password": os.environ["LARKSPUR_DB_PASSWORD"], "application_name": "larkspur-batch", **settings["database"]}
    pool = Pool(slots=1, wait_seconds=5, **connection)
    crew = Crew(settings["crew"]["workers"], settings["crew"]["poll_seconds"], connection)
    changeable = admin.Settings({"workers": (0, 32)}, {"workers": crew.size}, lambda values: crew.resize(values["workers"]))
    app.register_blueprint(admin.blueprint(changeable, os.environ["LARKSPUR_ADMIN_TOKEN"]))

    @app.get("/health")
    def health():
        return jsonify(status="ok")

    @app.post("/jobs")
    def order():
        data = request.get_json(silent=True) or {}
        name, factor = data.get("name"), data.get("factor_permille")
        if not isinstance(name, str) or not 4 <= len(name) <= 64 or type(factor) is not int or not 500 <= factor <= 2000:
            abort(422, "name and factor_permille (500 to 2000) are needed")
        with pool.transaction() as cursor:
            cursor.execute("INSERT INTO jobs (name, factor_permille) VALUES (%s, %s) RETURNING id", (name, factor))
            job = cursor.fetchone()["id"]
            cursor.execute("INSERT INTO tasks (job_id, lane_id) SELECT %s, id FROM lanes", (job,))
            return jsonify(job=job, lanes=cursor.rowcount), 202

    @app.get("/jobs/<int:job>")
    def one(job):
        with pool.transaction() as cursor:
            cursor.execute("""
                SELECT id AS job, name, factor_permille, (SELECT count(*) FROM tasks WHERE job_id = j.id) AS waiting,
                       (SELECT count(*) FROM prices WHERE job_id = j.id) AS priced
                FROM jobs j WHERE id = %s""", (job,))
            return jsonify(cursor.fetchone() or abort(404, "no such job"))

    return app
