"""SQL on databases, and what it finds as a table, CSV, HTML, JSON, Markdown or PDF, or in the clipboard."""
import argparse
import csv as csv_module
import email.message
import html
import io
import json
import os
import smtplib
import sys
import zipfile

from . import _program, output_config, time_window
from .importer import RocpdImportData, execute_statement


def _console(columns, rows):
    texts = [columns, *[["" if value is None else str(value) for value in row] for row in rows]]
    widths = [max(len(line[i]) for line in texts) for i in range(len(columns))]
    return "".join("  ".join(value.ljust(width) for value, width in zip(line, widths)).rstrip() + "\n"
                   for line in texts)


def _csv(columns, rows):
    out = io.StringIO()
    writer = csv_module.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()


def _html(columns, rows):
    def cells(tag, values):
        return "".join(f"<{tag}>{html.escape('' if value is None else str(value))}</{tag}>" for value in values)
    body = "".join(f"<tr>{cells('td', row)}</tr>\n" for row in rows)
    return f"<table>\n<tr>{cells('th', columns)}</tr>\n{body}</table>\n"


def _json(columns, rows):
    return json.dumps([dict(zip(columns, row)) for row in rows], indent=2) + "\n"


def _md(columns, rows):
    def line(values):
        return "| " + " | ".join("" if value is None else str(value).replace("|", "\\|") for value in values) + " |\n"
    return line(columns) + line(["---"] * len(columns)) + "".join(map(line, rows))


PROGRAMS = ("pdf", "clipboard")  # formats that the program rocpd makes, of databases
FORMATS = {"console": _console, "csv": _csv, "html": _html, "json": _json, "md": _md}


def export_sqlite_query(conn, query, params=(), export_format=None, export_path=None, dashboard_template_path=None):
    """Runs a query. Without a format its rows are returned as a list; with one their text is, and it is written
    to a file if there is a path. A template is HTML with {{table}} where the rows belong."""
    cursor = conn.execute(query, params)
    columns = [column[0] for column in cursor.description or ()]
    rows = cursor.fetchall()
    if export_format is None:
        return rows
    if export_format not in FORMATS and export_format != "dashboard":
        raise ValueError(f"{export_format} is none of: {' '.join(FORMATS)} dashboard")
    text = FORMATS.get(export_format, _html)(columns, rows)
    if export_format == "dashboard" and dashboard_template_path:
        with open(dashboard_template_path, encoding="utf-8") as f:
            text = f.read().replace("{{table}}", text)
    if export_path:
        os.makedirs(os.path.dirname(os.path.abspath(export_path)), exist_ok=True)
        with open(export_path, "w", encoding="utf-8") as f:
            f.write(text)
    return text


def zip_files(file_paths, zip_path):
    """Puts files into an archive; its path."""
    with zipfile.ZipFile(zip_path, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in file_paths:
            archive.write(path, os.path.basename(path))
    return zip_path


def send_report_email(file_paths, to, sender, subject, inline_preview=False, smtp_server="localhost", smtp_port=25,
                      smtp_user=None, smtp_password=None):
    """Sends files; an HTML file among them is the text as well, if a preview is wanted."""
    message = email.message.EmailMessage()
    message["To"], message["From"], message["Subject"] = to, sender, subject
    message.set_content("Report attached: " + ", ".join(map(os.path.basename, file_paths)) + "\n")
    for path in file_paths:
        with open(path, "rb") as f:
            content = f.read()
        if inline_preview and path.endswith(".html"):
            message.add_alternative(content.decode("utf-8", "replace"), subtype="html")
        message.add_attachment(content, maintype="application", subtype="octet-stream",
                               filename=os.path.basename(path))
    with smtplib.SMTP(smtp_server, smtp_port) as server:
        if smtp_user:
            server.starttls()
            server.login(smtp_user, smtp_password or "")
        server.send_message(message)


def add_args(parser):
    parser.add_argument("--query", required=True)
    parser.add_argument("--script", help="file with SQL to run before")
    parser.add_argument("--format", choices=[*FORMATS, *PROGRAMS, "dashboard"], type=str.lower, default="console")
    parser.add_argument("--template-path", default=None, help="HTML with {{table}}, for --format dashboard")
    mail = parser.add_argument_group("mail", "sends the file with the result")
    mail.add_argument("--email-to", help="addresses, with commas between them")
    mail.add_argument("--email-from", help="needed with --email-to")
    mail.add_argument("--email-subject", default="Report of a query")
    mail.add_argument("--smtp-server", default="localhost")
    mail.add_argument("--smtp-port", type=int, default=25)
    mail.add_argument("--smtp-user", help="logs in, after STARTTLS")
    mail.add_argument("--smtp-password")
    mail.add_argument("--zip-attachments", action="store_true", help="send an archive of the file")
    mail.add_argument("--inline-preview", action="store_true", help="an HTML file is the mail's text, too")
    return ["query", "script", "format", "template_path", "email_to", "email_from", "email_subject", "smtp_server",
            "smtp_port", "smtp_user", "smtp_password", "zip_attachments", "inline_preview"]


def process_args(args, valid_args):
    return {name: getattr(args, name) for name in valid_args if getattr(args, name, None) is not None}


def _by_program(data, args, path):
    words = ["--query", args.query, "--format", args.format]
    if getattr(args, "script", None):
        words += ["--script", args.script]
    if path and args.format != "clipboard":
        folder, name = os.path.split(path)
        words += ["-d", folder or ".", "-o", os.path.splitext(name)[0]]
    if not _program.run("query", data, *words):
        raise RuntimeError(f"rocpd query --format {args.format} has failed")


def _mail(path, args):
    """Sends the file of a result, as the options say."""
    paths = [zip_files([path], path + ".zip")] if args.zip_attachments else [path]
    send_report_email(paths, args.email_to, args.email_from, args.email_subject, args.inline_preview, args.smtp_server,
                      args.smtp_port, args.smtp_user, args.smtp_password)


def execute(input, args, config=None, window_args=None, **kwargs):  # the name of AMD's parameter
    """Runs the query of args on databases; text goes to standard output, unless config names a file or it is
    mailed."""
    mailed = getattr(args, "email_to", None)
    if mailed and not args.email_from:
        raise ValueError("--email-to needs --email-from")
    data = RocpdImportData(input)
    time_window.apply_time_window(data, **(window_args or {}))
    path = None
    if config or kwargs or mailed:
        config = (config or output_config.output_config()).update(**kwargs)
        suffix = {"console": "txt", "dashboard": "html"}.get(args.format, args.format)
        path = os.path.join(output_config.format_path(config.output_path),
                            f"{output_config.format_path(config.output_file)}.{suffix}")
    if args.format in PROGRAMS:
        _by_program(data, args, path)
        if mailed:
            _mail(path, args)
        return path or ""
    if getattr(args, "script", None):
        with open(args.script, encoding="utf-8") as f:
            execute_statement(data, f.read(), is_script=True)
    text = export_sqlite_query(data, args.query, (), args.format, path, getattr(args, "template_path", None))
    if mailed:
        _mail(path, args)
    if not path:
        sys.stdout.write(text)
    return text


def main(argv=None):
    parser = argparse.ArgumentParser(prog="rocpd.query", description="SQL on databases")
    parser.add_argument("-i", "--input", nargs="+", required=True)
    add_args(parser)
    generic, window = output_config.add_generic_args(parser), time_window.add_args(parser)
    args = parser.parse_args(argv)
    execute(args.input, args, window_args=time_window.process_args(args, window),
            **output_config.process_generic_args(args, generic))
    return 0


if __name__ == "__main__":
    sys.exit(main())
